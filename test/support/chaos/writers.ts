import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Editor } from '../editors.ts';
import { eventually } from '../eventually.ts';
import type { Claim, Cluster } from './cluster.ts';
import type { Random } from './random.ts';

const SETTLE_MS = 60_000;
let writers = 0;

/** A writer that knows which of its writes were acknowledged. */
export interface Writer {
  run(isOver: () => boolean): Promise<void>;
  /** Waits until every write is acknowledged. Call this after a repair. */
  settle(): Promise<void>;
  claims(): Claim[];
}

export interface Typist extends Writer {
  editorId: string;
  text(): string;
}

const open = (cluster: Cluster, editorId: string): Editor =>
  connect({
    url: cluster.balancer.url,
    name: `acme/${cluster.documentId}/${editorId}`,
    token: cluster.token,
  });

/** The tokens that one editor inserted and deleted, and how many of these were acknowledged. */
function tokenLog(cluster: Cluster, editor: Editor, editorId: string, random: Random) {
  const id = ++writers;
  const { provider, text } = editor;
  const written: Array<{ token: string; isThere: boolean }> = [];
  let acknowledged = 0;
  provider.on('unsyncedChanges', ({ number }: { number: number }) => {
    if (number === 0) acknowledged = written.length;
  });
  const insert = () => {
    const token = `[${id}-${written.length}]`;
    const places = [0, ...[...text.toString().matchAll(/\]/g)].map(({ index }) => index + 1)];
    written.push({ token, isThere: true });
    text.insert(random.pick(places), token);
  };
  const remove = () => {
    const own = new Set(written.map(({ token }) => token));
    const there = (text.toString().match(/\[[^\]]*\]/g) ?? []).filter((token) => own.has(token));
    if (there.length === 0) return;
    const token = random.pick(there);
    written.push({ token, isThere: false });
    text.delete(text.toString().indexOf(token), token.length);
  };
  return {
    write: () => (random.below(5) === 0 ? remove() : insert()),
    isAcknowledged: () => acknowledged === written.length,
    /** The last acknowledged operation on each token without a later one. */
    claims: (): Claim[] => {
      const latest = new Map(written.slice(0, acknowledged).map((entry) => [entry.token, entry]));
      const open = new Set(written.slice(acknowledged).map(({ token }) => token));
      return [...latest.values()]
        .filter(({ token }) => !open.has(token))
        .map((entry) => ({ documentId: cluster.documentId, editorId, ...entry }));
    },
  };
}

/** Types continuously, whether connected or not. */
export async function typist(cluster: Cluster, editorId: string, random: Random): Promise<Typist> {
  const editor = open(cluster, editorId);
  const own = tokenLog(cluster, editor, editorId, random);
  await eventually(() => {
    if (!editor.provider.synced) throw new Error('not open yet');
  }, SETTLE_MS);
  return {
    editorId,
    text: () => editor.text.toString(),
    async run(isOver) {
      while (!isOver()) {
        own.write();
        await sleep(random.between(5, 120));
      }
    },
    settle: () =>
      eventually(() => {
        if (!own.isAcknowledged()) throw new Error(`${editorId} waits for acknowledgements`);
      }, SETTLE_MS),
    claims: own.claims,
  };
}

/** Connect, type a little, wait for the acknowledgement, and leave for good. */
export function visitors(cluster: Cluster, editorId: string, random: Random): Writer {
  const claims: Claim[] = [];
  const visit = async (isOver: () => boolean): Promise<void> => {
    const editor = open(cluster, editorId);
    const own = tokenLog(cluster, editor, editorId, random);
    while (!editor.provider.synced && !isOver()) await sleep(10);
    for (let left = random.between(1, 8); left > 0; left--) own.write();
    while (!own.isAcknowledged() && !isOver()) await sleep(1);
    claims.push(...own.claims());
    editor.provider.configuration.websocketProvider.destroy();
    editor.provider.destroy();
  };
  return {
    async run(isOver) {
      while (!isOver()) {
        await visit(isOver);
        await sleep(random.between(0, 200));
      }
    },
    settle: async () => undefined,
    claims: () => claims,
  };
}

/** Replaces the content of its own editor over REST at any process. */
export function restWriter(cluster: Cluster, random: Random): Writer & { longestMs(): number } {
  const id = ++writers;
  const editorId = `rest-${id}`;
  const tokens: string[] = [];
  let acknowledged = 0;
  let isAdded = false;
  let longestMs = 0;
  const write = async (): Promise<void> => {
    tokens.push(`[${id}-${tokens.length}]`);
    const data = tokens.join('');
    const path = isAdded ? '/v2/crdt/update' : '/v2/crdt/add';
    const place = { documentId: cluster.documentId, editorId, type: 'text' };
    const startedAt = Date.now();
    try {
      const { status, body } = await cluster.call(cluster.anyUrl(), path, { ...place, data });
      if (status === 200) acknowledged = tokens.length;
      // An earlier attempt may have succeeded although its answer was lost.
      if (status === 200 || body.error?.status === 'ALREADY_EXISTS') isAdded = true;
      else if (status !== 503) throw new Error(`${path}: ${JSON.stringify(body)}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    longestMs = Math.max(longestMs, Date.now() - startedAt);
  };
  return {
    async run(isOver) {
      while (!isOver()) {
        await write();
        await sleep(random.between(10, 200));
      }
    },
    settle: async () => {
      while (acknowledged < tokens.length) await write();
    },
    claims: () =>
      tokens
        .slice(0, acknowledged)
        .map((token) => ({ documentId: cluster.documentId, editorId, token, isThere: true })),
    longestMs: () => longestMs,
  };
}
