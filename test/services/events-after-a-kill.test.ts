import { beforeEach, describe, expect, inject, it } from 'vitest';
import { type Editor, makePlan, openPlan } from '../support/editors.ts';
import type { PublishedEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { createDatabase, post } from '../support/server.ts';

const INTERVAL_MS = 5_000;
/**
 * The time of an event is that of its row, while the interval depends on that of the transaction.
 */
const NEARLY_MS = INTERVAL_MS - 250;
/** How long a busy machine may take for the interval, the periodic task and the start of a process together. */
const PUBLISHED_MS = 20_000;
const place = { organizationId: 'acme', documentId: 'plan' };
const shared = { DATABASE_URL: await createDatabase() };
const REDIS_URL = inject('redisUrl') ?? '';
/** Two processes that share a database and Redis, and a separate one. */
const one = await serverProcess({ ...shared, REDIS_URL });
const two = await serverProcess({ ...shared, REDIS_URL });
const alone = await serverProcess({ DATABASE_URL: await createDatabase() });
await Promise.all([one.start(), alone.start()]);
await two.start();
const headers = await one.keyHeaders();
const ownHeaders = await alone.keyHeaders();
const apiOf = ({ url }: ServerProcess) => ({
  url,
  keyHeaders: url === alone.url ? ownHeaders : headers,
});
await makePlan(apiOf(one));
await makePlan(apiOf(alone));

beforeEach(async () => {
  if (!one.isRunning) await one.start();
});

const open = (server: ServerProcess, editorId: string): Promise<Editor> =>
  openPlan(apiOf(server), editorId);

async function type({ text, sent }: Editor, words: string): Promise<void> {
  text.insert(text.length, words);
  await sent();
}

async function eventsOf(server: ServerProcess, editorId: string) {
  const body = { data: { types: ['crdt.update_data'], limit: 1_000 } };
  const { url, keyHeaders } = apiOf(server);
  const answer = await post(`${url}/v2/events/get`, body, keyHeaders);
  const { events }: { events: PublishedEvent[] } = answer.body.result.data;
  return events.filter(({ data }) => data.id === editorId);
}

const publishedBy = async (server: ServerProcess, editorId: string) =>
  (await eventsOf(server, editorId)).map(({ data }) => data.data);

async function expectSpaced(server: ServerProcess, editorId: string): Promise<void> {
  const times = (await eventsOf(server, editorId)).map(({ timestamp }) => Date.parse(timestamp));
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  expect(gaps.filter((ms) => ms < NEARLY_MS)).toEqual([]);
}

describe('the event about edits whose process was killed before publishing it', () => {
  it('is published by another process, with their last state, also if it is larger than one commit', async () => {
    const here = await open(one, 'taken-over');
    const editor = { ...place, editorId: 'large', type: 'text' };
    const call = (verb: string, data: string) =>
      post(`${one.url}/v2/crdt/${verb}`, { data: { ...editor, data } }, headers);
    const large = 'many words '.repeat(10_000);
    await call('add', 'few words');
    await type(here, 'first');
    expect((await call('update', large)).status).toBe(200);
    await type(here, ', last');
    await one.kill();
    expect(await publishedBy(two, 'taken-over')).toEqual(['first']);
    expect(await publishedBy(two, 'large')).toEqual(['few words']);
    await eventually(async () => {
      expect(await publishedBy(two, 'taken-over')).toEqual(['first', 'first, last']);
      const published = await publishedBy(two, 'large');
      expect([published.length, published[1] === large]).toEqual([2, true]);
    }, PUBLISHED_MS);
    for (const editorId of ['taken-over', 'large']) await expectSpaced(two, editorId);
  });

  it('is published by the same process after a restart, if there is no other', async () => {
    const [twice, once] = [await open(alone, 'twice'), await open(alone, 'once')];
    await type(twice, 'first');
    await type(twice, ', last');
    // This event is published with the commit, before the process is killed.
    await type(once, 'only');
    await alone.kill();
    await alone.start();
    await eventually(async () => {
      expect(await publishedBy(alone, 'once')).toEqual(['only']);
      expect(await publishedBy(alone, 'twice')).toEqual(['first', 'first, last']);
    }, PUBLISHED_MS);
  });
});

it('two processes with the same open editor publish at most one event in 5 s, and the last state', async () => {
  const [here, there] = [await open(one, 'both'), await open(two, 'both')];
  const end = Date.now() + 2.5 * INTERVAL_MS;
  while (Date.now() < end) {
    await Promise.all([type(here, 'h'), type(there, 't')]);
  }
  await eventually(() => expect(here.text.toString()).toBe(there.text.toString()));
  await one.kill();
  await eventually(
    async () => expect((await publishedBy(two, 'both')).at(-1)).toBe(there.text.toString()),
    PUBLISHED_MS,
  );
  await expectSpaced(two, 'both');
});
