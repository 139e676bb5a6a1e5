import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Editor } from '../editors.ts';
import { eventually } from '../eventually.ts';
import type { Claim, World } from './cluster.ts';
import type { Random } from './random.ts';

const SETTLE_MS = 60_000;
let writers = 0;

/** Somebody who writes, and knows what was acknowledged. */
export interface Writer {
  run(isOver: () => boolean): Promise<void>;
  /** Once all is well again: waits until nothing is left to be acknowledged. */
  settle(): Promise<void>;
  claims(): Claim[];
}

export interface Typist extends Writer {
  editorId: string;
  text(): string;
}

const open = (world: World, editorId: string): Editor =>
  connect({
    url: world.balancer.url,
    name: `acme/${world.documentId}/${editorId}`,
    token: world.token,
  });

/** What one editor wrote and deleted, and how much of that was acknowledged. */
function diary(world: World, editor: Editor, editorId: string, random: Random) {
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
    /** The last that was acknowledged of each token, where nothing came after it. */
    claims: (): Claim[] => {
      const latest = new Map(written.slice(0, acknowledged).map((entry) => [entry.token, entry]));
      const open = new Set(written.slice(acknowledged).map(({ token }) => token));
      return [...latest.values()]
        .filter(({ token }) => !open.has(token))
        .map((entry) => ({ documentId: world.documentId, editorId, ...entry }));
    },
  };
}

/** Types all the time, connected or not. */
export async function typist(world: World, editorId: string, random: Random): Promise<Typist> {
  const editor = open(world, editorId);
  const own = diary(world, editor, editorId, random);
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

/** Come, write a little, wait until it is acknowledged, and never come back. */
export function visitors(world: World, editorId: string, random: Random): Writer {
  const claims: Claim[] = [];
  const visit = async (isOver: () => boolean): Promise<void> => {
    const editor = open(world, editorId);
    const own = diary(world, editor, editorId, random);
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

/** Replaces the content of an editor of its own through REST, at any process. */
export function restWriter(world: World, random: Random): Writer & { longestMs(): number } {
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
    const place = { documentId: world.documentId, editorId, type: 'text' };
    const startedAt = Date.now();
    try {
      const { status, body } = await world.call(world.anyUrl(), path, { ...place, data });
      if (status === 200) acknowledged = tokens.length;
      // An earlier attempt may have arrived although its answer did not.
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
        .map((token) => ({ documentId: world.documentId, editorId, token, isThere: true })),
    longestMs: () => longestMs,
  };
}
