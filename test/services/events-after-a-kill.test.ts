import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Editor, makePlan, openEditor, userToken } from '../support/editors.ts';
import type { PublishedEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { createDatabase, post } from '../support/server.ts';

const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
const INTERVAL_MS = 5_000;
/** An event has the time of its row, and the interval goes by that of its transaction. */
const NEARLY_MS = INTERVAL_MS - 250;
/** Its interval, the sweep, and what a process that starts takes on a busy machine. */
const TOLD_MS = 20_000;
const place = { organizationId: 'acme', documentId: 'plan' };

/** Two that have a database and Redis in common, and one that is alone. */
let one: ServerProcess;
let two: ServerProcess;
let alone: ServerProcess;
let headers: Record<string, string>;
let ownHeaders: Record<string, string>;
beforeAll(async () => {
  const shared = { SECRET_KEY, DATABASE_URL: await createDatabase() };
  const REDIS_URL = inject('redisUrl') ?? '';
  one = await serverProcess({ ...shared, REDIS_URL });
  two = await serverProcess({ ...shared, REDIS_URL });
  alone = await serverProcess({ SECRET_KEY, DATABASE_URL: await createDatabase() });
  await Promise.all([one.start(), alone.start()]);
  await two.start();
  headers = await one.keyHeaders();
  ownHeaders = await alone.keyHeaders();
  await makePlan({ url: one.url, keyHeaders: headers });
  await makePlan({ url: alone.url, keyHeaders: ownHeaders });
}, 90_000);

beforeEach(async () => {
  if (!one.isRunning) await one.start();
}, 40_000);

async function open(server: ServerProcess, editorId: string, own = headers): Promise<Editor> {
  const grant = { accessRole: 'editor' } as const;
  const token = await userToken({ url: server.url, keyHeaders: own }, 'ada', grant);
  return openEditor({ url: server.url, name: `acme/plan/${editorId}`, token });
}

async function type({ text, sent }: Editor, words: string): Promise<void> {
  text.insert(text.length, words);
  await sent();
}

async function eventsOf(server: ServerProcess, editorId: string, own = headers) {
  const body = { data: { types: ['crdt.update_data'], limit: 1_000 } };
  const answer = await post(`${server.url}/v2/events/get`, body, own);
  const { events }: { events: PublishedEvent[] } = answer.body.result.data;
  return events.filter(({ data }) => data.id === editorId);
}

const toldBy = async (server: ServerProcess, editorId: string, own = headers) =>
  (await eventsOf(server, editorId, own)).map(({ data }) => data.data);

async function expectSpaced(server: ServerProcess, editorId: string): Promise<void> {
  const times = (await eventsOf(server, editorId)).map(({ timestamp }) => Date.parse(timestamp));
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  expect(gaps.filter((ms) => ms < NEARLY_MS)).toEqual([]);
}

describe('of edits whose process is killed before it could tell of them', () => {
  it('another process tells, of their last state', async () => {
    const here = await open(one, 'taken-over');
    await type(here, 'first');
    await type(here, ', last');
    await one.kill();
    expect(await toldBy(two, 'taken-over')).toEqual(['first']);
    await eventually(
      async () => expect(await toldBy(two, 'taken-over')).toEqual(['first', 'first, last']),
      TOLD_MS,
    );
    await expectSpaced(two, 'taken-over');
  }, 60_000);

  it('another process tells, where there is more than goes into a commit', async () => {
    const editor = { ...place, editorId: 'large', type: 'text' };
    const call = (verb: string, data: string) =>
      post(`${one.url}/v2/crdt/${verb}`, { data: { ...editor, data } }, headers);
    const large = 'many words '.repeat(10_000);
    await call('add', 'few words');
    expect((await call('update', large)).status).toBe(200);
    await one.kill();
    expect(await toldBy(two, 'large')).toEqual(['few words']);
    await eventually(async () => {
      const told = await toldBy(two, 'large');
      expect(told).toHaveLength(2);
      expect(told[1] === large).toBe(true);
    }, TOLD_MS);
    await expectSpaced(two, 'large');
  }, 60_000);

  it('the process tells itself once it is started again, where there is no other', async () => {
    const [twice, once] = [
      await open(alone, 'twice', ownHeaders),
      await open(alone, 'once', ownHeaders),
    ];
    await type(twice, 'first');
    await type(twice, ', last');
    // This one is told with its commit, which the process may not live to see in its place.
    await type(once, 'only');
    await alone.kill();
    await alone.start();
    await eventually(async () => {
      expect(await toldBy(alone, 'once', ownHeaders)).toEqual(['only']);
      expect(await toldBy(alone, 'twice', ownHeaders)).toEqual(['first', 'first, last']);
    }, TOLD_MS);
  }, 60_000);
});

it('two processes with the same editor open tell of it once in 5 s, and of its last state', async () => {
  const [here, there] = [await open(one, 'both'), await open(two, 'both')];
  const end = Date.now() + 2.5 * INTERVAL_MS;
  while (Date.now() < end) {
    await Promise.all([type(here, 'h'), type(there, 't')]);
  }
  await eventually(() => expect(here.text.toString()).toBe(there.text.toString()));
  await one.kill();
  await eventually(
    async () => expect((await toldBy(two, 'both')).at(-1)).toBe(there.text.toString()),
    TOLD_MS,
  );
  expect((await eventsOf(two, 'both')).length).toBeGreaterThan(2);
  await expectSpaced(two, 'both');
}, 60_000);
