import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Editor } from '../editors.ts';
import { eventually } from '../eventually.ts';
import { type Cluster, type Plan, place } from './cluster.ts';
import type { Random } from './random.ts';

const SETTLE_MS = 60_000;
/** One of this many insertions is so large that it takes several turns to apply and to store. */
const LARGE_EVERY = 50;
const LARGE = 100 * 1024;
let writers = 0;

/** A writer's statement about a token: an editor contains it, or does not. */
interface Claim {
  editorId: string;
  token: string;
  isThere: boolean;
}

export type Counter = Awaited<ReturnType<typeof counter>>;
export type Typist = Awaited<ReturnType<typeof typist>>;
/** A writer that knows which of its writes were acknowledged. */
export type Writer = Pick<Typist, 'run' | 'claims'>;

/** Opens an editor as one of the users. */
const open = ({ url, tokens }: Plan, editorId: string, random: Random): Editor =>
  connect({
    url,
    token: random.pick(tokens),
    name: `${place.organizationId}/${place.documentId}/${editorId}`,
  });

/** The tokens that one editor inserted and deleted, and how many of these were acknowledged. */
function tokenLog(editor: Editor, editorId: string, random: Random) {
  const id = ++writers;
  const { provider, text } = editor;
  const written: Array<{ token: string; isThere: boolean }> = [];
  let acknowledged = 0;
  provider.on('unsyncedChanges', ({ number }: { number: number }) => {
    if (number === 0) acknowledged = written.length;
  });
  const insert = () => {
    const isLarge = random.below(LARGE_EVERY) === 0;
    const token = `[${id}-${written.length}${isLarge ? '.'.repeat(LARGE) : ''}]`;
    const places = [0, ...[...text.toString().matchAll(/\]/g)].map(({ index }) => index + 1)];
    written.push({ token, isThere: true });
    text.insert(random.pick(places), token);
  };
  const remove = (token: string) => {
    written.push({ token, isThere: false });
    text.delete(text.toString().indexOf(token), token.length);
  };
  const write = () => {
    const own = new Set(written.map(({ token }) => token));
    const there = (text.toString().match(/\[[^\]]*\]/g) ?? []).filter((token) => own.has(token));
    // Large tokens go soon, so that a long run does not fill the document.
    const large = there.find(({ length }) => length > LARGE);
    if (large && random.below(2) === 0) remove(large);
    else if (there.length > 0 && random.below(5) === 0) remove(random.pick(there));
    else insert();
  };
  return {
    write,
    isAcknowledged: () => acknowledged === written.length,
    /** The last acknowledged operation on each token without a later one. */
    claims: (): Claim[] => {
      const latest = new Map(written.slice(0, acknowledged).map((entry) => [entry.token, entry]));
      const open = new Set(written.slice(acknowledged).map(({ token }) => token));
      return [...latest.values()]
        .filter(({ token }) => !open.has(token))
        .map((entry) => ({ editorId, ...entry }));
    },
  };
}

/** Types continuously, whether connected or not. */
export async function typist(plan: Plan, editorId: string, random: Random) {
  const editor = open(plan, editorId, random);
  const own = tokenLog(editor, editorId, random);
  await eventually(() => {
    if (!editor.provider.synced) throw new Error('not open yet');
  }, SETTLE_MS);
  return {
    editorId,
    text: () => editor.text.toString(),
    async run(isOver: () => boolean): Promise<void> {
      while (!isOver()) {
        own.write();
        await sleep(random.between(5, 120));
      }
    },
    /** Waits until every edit is acknowledged. Call this when nothing fails any more. */
    settle: () =>
      eventually(() => {
        if (!own.isAcknowledged()) throw new Error(`${editorId} waits for acknowledgements`);
      }, SETTLE_MS),
    claims: own.claims,
  };
}

/** Editors that connect, type a little, wait for the acknowledgement, and leave for good. */
export function visitors(plan: Plan, editorId: string, random: Random): Writer {
  const claims: Claim[] = [];
  const visit = async (isOver: () => boolean): Promise<void> => {
    const editor = open(plan, editorId, random);
    const own = tokenLog(editor, editorId, random);
    while (!editor.provider.synced && !isOver()) await sleep(10);
    for (let left = random.between(1, 8); left > 0; left--) own.write();
    while (!own.isAcknowledged() && !isOver()) await sleep(1);
    claims.push(...own.claims());
    editor.leave();
  };
  return {
    async run(isOver) {
      while (!isOver()) {
        await visit(isOver);
        await sleep(random.between(0, 200));
      }
    },
    claims: () => claims,
  };
}

/** Replaces the content of its own editor over REST, each time by a longer one. */
export function replacer(cluster: Cluster, random: Random): Writer {
  const id = ++writers;
  const editorId = `rest-${id}`;
  const tokens: string[] = [];
  return {
    async run(isOver) {
      while (!isOver()) {
        const token = `[${id}-${tokens.length}]`;
        const data = [...tokens, token].join('');
        const path = tokens.length === 0 ? '/v2/crdt/add' : '/v2/crdt/update';
        const content = { ...place, editorId, type: 'text', data };
        await cluster.acknowledged(path, content, token);
        tokens.push(token);
        await sleep(random.between(10, 200));
      }
    },
    claims: () => tokens.map((token) => ({ editorId, token, isThere: true })),
  };
}

/** Counts in the settings of an editor over REST, while others type in its text. */
export async function counter(cluster: Cluster, editorId: string, random: Random) {
  const content = { ...place, editorId };
  await cluster.acknowledged('/v2/crdt/add', { ...content, type: 'text', data: '[0]' }, editorId);
  const settings = { ...content, contentKey: 'settings', type: 'map' };
  let count = 0;
  return {
    editorId,
    count: () => count,
    async run(isOver: () => boolean): Promise<void> {
      while (!isOver()) {
        const next = count + 1;
        const data = { count: next };
        await cluster.acknowledged('/v2/crdt/update', { ...settings, data }, `${editorId}-${next}`);
        count = next;
        await sleep(random.between(10, 200));
      }
    },
  };
}
