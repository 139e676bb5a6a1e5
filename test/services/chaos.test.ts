import { beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, makePlan, place, startCluster } from '../support/chaos/cluster.ts';
import { createMonkey } from '../support/chaos/monkey.ts';
import { Random } from '../support/chaos/random.ts';
import {
  type Follower,
  firstArrivals,
  follower,
  RECORDED,
  type Receivers,
  readActivities,
  readBacklog,
  readLog,
  receiveWebhooks,
  recordActivities,
  retriedEvents,
} from '../support/chaos/readers.ts';
import {
  type RecordKind,
  type RecordWriter,
  recordKinds,
  recordWriter,
  storedNames,
} from '../support/chaos/records.ts';
import {
  type Counter,
  counter,
  replacer,
  type Typist,
  typist,
  visitors,
  type Writer,
} from '../support/chaos/writers.ts';
import type { PublishedEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { storedEditor } from '../support/stored-editor.ts';

/** The duration and the seed of a run. The same seed makes the same decisions. */
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 10);
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

const EDITORS = ['one', 'two', 'three'];
const TYPISTS = 2;
const REPLACERS = 2;
const WRITERS_OF_KIND = 2;
/** How long a busy machine may take for the deliveries, activities and events of all writes. */
const CATCH_UP_MS = 60_000 + 1_000 * SECONDS;

// Every participant has its own random numbers, which do not depend on the speed of others.
let seed = SEED;
const random = () => new Random(seed++);
const times = <Made>(count: number, make: () => Made) => Array.from({ length: count }, make);

let cluster: Cluster;
let typists: Typist[];
let counters: Counter[];
let writers: Writer[];
let recordWriters: RecordWriter[];
let reader: Follower;
let receivers: Receivers;
let log: PublishedEvent[];

beforeAll(
  async () => {
    console.log(`chaos: ${SECONDS} s, CHAOS_SEED=${SEED}`);
    cluster = await startCluster(random());
    receivers = await receiveWebhooks(cluster, random());
    await recordActivities(cluster);
    const plan = await makePlan(cluster);
    const monkey = createMonkey(cluster, random());
    counters = await Promise.all(EDITORS.map((editor) => counter(cluster, editor, random())));
    typists = await Promise.all(
      EDITORS.flatMap((editor) => times(TYPISTS, () => typist(plan, editor, random()))),
    );
    writers = [
      ...typists,
      ...EDITORS.map((editor) => visitors(plan, editor, random())),
      ...times(REPLACERS, () => replacer(cluster, random())),
    ];
    recordWriters = recordKinds.flatMap((kind) =>
      times(WRITERS_OF_KIND, () => recordWriter(cluster, kind, random())),
    );
    reader = follower(cluster, random());

    const end = Date.now() + SECONDS * 1_000;
    const load = [...writers, ...counters, ...recordWriters, reader];
    const isOver = () => Date.now() > end;
    const running = [monkey.run(isOver), ...load.map((each) => each.run(isOver))];
    // After a failure too, what is frozen or killed at the moment is first repaired.
    await Promise.allSettled(running);
    console.log(`chaos: ${monkey.summary()}`);
    await Promise.all(running);
    await Promise.all(typists.map((each) => each.settle()));
    await eventually(expectNothingWaits, CATCH_UP_MS);
    log = await readLog(cluster);
    const edits = writers.flatMap((writer) => writer.claims()).length;
    const records = recordWriters.flatMap(({ names }) => names).length;
    console.log(`chaos: ${edits} edits, ${records} records, ${log.length} events`);
  },
  240_000 + 2 * CATCH_UP_MS,
);

async function expectNothingWaits(): Promise<void> {
  const waiting = Object.entries(await readBacklog(cluster)).filter(([, count]) => count !== 0);
  expect(waiting).toEqual([]);
}

describe('whatever is killed, frozen, slowed down or cut off', () => {
  it.each(EDITORS)('editor %s shows everybody what is stored', async (editorId) => {
    const open = typists.filter((each) => each.editorId === editorId);
    await eventually(async () => {
      const stored = await storedText(editorId);
      for (const each of open) expect(differences(each.text(), stored)).toEqual([]);
    }, CATCH_UP_MS);
  });

  it('every acknowledged edit is stored once, and served by every process', async () => {
    const claims = Map.groupBy(
      writers.flatMap((writer) => writer.claims()),
      ({ editorId }) => editorId,
    );
    for (const [editorId, own] of claims) {
      const stored = await storedText(editorId);
      const tokens = stored.match(/\[[^\]]*\]/g) ?? [];
      expect(tokens.join('')).toBe(stored);
      const found = new Set(tokens);
      expect(tokens).toHaveLength(found.size);
      expect(own.filter(({ token, isThere }) => found.has(token) !== isThere)).toEqual([]);
      for (const text of await servedTexts(editorId)) {
        expect(differences(text, stored)).toEqual([]);
      }
    }
  });

  it('every acknowledged change by crdt.update beside typing is stored', async () => {
    for (const { editorId, count } of counters) {
      const { doc } = await storedEditor(cluster.database, editorId);
      expect(doc.getMap('settings').get('count')).toBe(count());
    }
  });

  it.each(recordKinds)(
    'every acknowledged $name is there once, and has one event, in the order of writes',
    async (kind) => {
      const of = recordWriters.filter((writer) => writer.kind === kind);
      const acknowledged = of.flatMap(({ names }) => names).toSorted();
      expect((await storedNames(cluster, kind)).toSorted()).toEqual(acknowledged);
      const logged = namesInLog(kind);
      expect(logged.toSorted()).toEqual(acknowledged);
      for (const { names } of of) {
        const own = new Set(names);
        expect(logged.filter((name) => own.has(name))).toEqual(names);
      }
    },
  );

  it('the last event of an editor has its content', async () => {
    const edits = log.filter(({ type }) => type === 'crdt.update_data');
    const last = new Map(edits.map(({ data }) => [data.id, data.data]));
    expect(last.size).toBeGreaterThanOrEqual(EDITORS.length + REPLACERS);
    for (const [editorId, content] of last) {
      expect(differences(content, await storedText(editorId))).toEqual([]);
    }
  });

  it('who follows the log reads each event once and in order', () => {
    expect(new Set(reader.ids).size).toBe(reader.ids.length);
    expect(reader.ids).toEqual(log.map(({ id }) => id).slice(0, reader.ids.length));
  });

  it('webhooks deliver each event, in order for each document unless they are retried', async () => {
    const expected = ofOrganization(log);
    const ids = new Set(expected.map(({ id }) => id));
    const retried = await retriedEvents(cluster);
    for (const receiver of [receivers.steady, receivers.moody]) {
      // Closing the editors publishes further events about presence.
      const arrived = firstArrivals(receiver).filter(({ id }) => ids.has(id));
      expect(arrived).toHaveLength(expected.length);
      const inOrder = (events: PublishedEvent[]) =>
        idsByDocument(events.filter(({ id }) => !retried.has(id)));
      expect(inOrder(arrived)).toEqual(inOrder(expected));
    }
  });

  it('the activity log has each of its events once, and verifies', async () => {
    const recorded = ofOrganization(log).filter(({ type }) => RECORDED.includes(type));
    expect(await readActivities(cluster)).toEqual(recorded.map(({ id }) => id));
    const { organizationId } = place;
    const { data } = await cluster.acknowledged('/v2/activities/verify', { organizationId });
    expect(data).toMatchObject({ valid: true, records: recorded.length });
  });

  it('no process ends by itself or complains', () => {
    for (const { server } of cluster.nodes) {
      expect(server.isRunning).toBe(true);
      expect(server.complaints).toEqual([]);
    }
  });
});

/** The content in the database, merged by Yjs alone. */
async function storedText(editorId: string): Promise<string> {
  const { doc } = await storedEditor(cluster.database, editorId);
  if (doc.store.pendingStructs) throw new Error(`${editorId} lacks what its updates build on.`);
  return doc.getText('content').toString();
}

/** The content that each process serves. */
const servedTexts = (editorId: string): Promise<string[]> =>
  Promise.all(
    cluster.nodes.map(async (node) => {
      const answer = await cluster.call('/v2/crdt/get', { ...place, editorId }, { node });
      return answer?.body.result?.data[0]?.data ?? JSON.stringify(answer?.body);
    }),
  );

const namesInLog = ({ eventType, name, nameOf }: RecordKind): string[] =>
  log
    .filter(({ type }) => type === eventType)
    .map(({ data }) => nameOf(data))
    .filter((found) => found.startsWith(`${name}-`));

const ofOrganization = (events: PublishedEvent[]) =>
  events.filter(({ metadata }) => metadata.organizationId === place.organizationId);

/** The ids of events about documents, by document. */
function idsByDocument(events: PublishedEvent[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, metadata } of events) {
    if (metadata.documentId === undefined) continue;
    ids.set(metadata.documentId, [...(ids.get(metadata.documentId) ?? []), id]);
  }
  return ids;
}

/** The tokens that only one text contains, or a difference in their order. */
function differences(text: string, stored: string): string[] {
  const [one, two] = [text, stored].map((content) => content.split(/(?<=\])/));
  const others = new Set(two);
  const known = new Set(one);
  const found = [
    ...(one ?? []).filter((token) => !others.has(token)).map((token) => `not stored: ${token}`),
    ...(two ?? []).filter((token) => !known.has(token)).map((token) => `not shown: ${token}`),
  ];
  return found.length > 0 || text === stored ? found : ['another order'];
}
