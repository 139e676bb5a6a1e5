import { expect, it } from 'vitest';
import { planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startRedis } from '../support/redis-server.ts';
import { scrape } from '../support/scrape.ts';
import { createTenant, startTestServer, type TestServer } from '../support/server.ts';

const LIMIT = 20;

async function startTwo(redisUrl: string) {
  const settings = {
    REDIS_URL: redisUrl,
    RATE_LIMIT_PER_SECOND: String(LIMIT),
    // The servers of all tests run until the end of the file.
    DATABASE_POOL_SIZE: '3',
  };
  const { server: one, open } = await planServer(settings);
  const two = await startTestServer({ ...settings, DATABASE_URL: one.databaseUrl });
  /** Expects that limits hold, and that edits of either process reach the other. */
  const expectService = async (editorId: string): Promise<void> => {
    const statuses = await burst(two, one);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const [here, there] = [await open(editorId), await open(editorId, { at: two })];
    here.text.insert(0, 'Hello');
    await eventually(() => expect(there.text.toString()).toBe('Hello'));
    there.text.insert(5, ' World');
    await eventually(() => expect(here.text.toString()).toBe('Hello World'));
  };
  return { one, two, expectService };
}

const ready = async ({ url }: TestServer) => {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, ...((await answer.json()) as object) };
};

const connectionsUp = async ({ url }: TestServer) =>
  [...(await scrape(url))].filter(([name, value]) => name.startsWith('redis_up{') && value === 1)
    .length;

const untilCutOff = (server: TestServer) =>
  eventually(async () => {
    const degraded = 'Redis cannot be reached.';
    expect(await ready(server)).toMatchObject({ status: 'ready', degraded });
    expect(await connectionsUp(server)).toBe(0);
  });

const untilConnected = (server: TestServer) =>
  eventually(async () => {
    expect(await ready(server)).not.toHaveProperty('degraded');
    expect(await connectionsUp(server)).toBe(3);
  });

/** Sends concurrent calls with a fresh key, and returns their outcomes. */
async function burst(server: TestServer, owner: TestServer): Promise<number[]> {
  const key = await createTenant(owner);
  const calls = Array.from({ length: 3 * LIMIT }, () => server.call('/v2/events/get', {}, key));
  return (await Promise.all(calls)).map(({ status }) => status);
}

it('a Redis that hangs delays nobody, is reported, is used again when it continues, and lets processes stop', async () => {
  const redis = await startRedis();
  const { one, two, expectService } = await startTwo(redis.url);
  await untilConnected(one);
  await untilConnected(two);
  // Processes count the calls of a key together. This is repeated for a busy machine, on which the calls may
  // take longer than the second that counts.
  await eventually(async () => {
    const key = await createTenant(one);
    const calls = Array.from({ length: LIMIT }, () => [one, two]).flat();
    const answers = calls.map((server) => server.call('/v2/events/get', {}, key));
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
  });
  redis.freeze();
  await expectService('at-once');
  for (const server of [one, two]) await untilCutOff(server);
  await expectService('meanwhile');
  redis.resume();
  for (const server of [one, two]) await untilConnected(server);
  await expectService('after');
  redis.freeze();
  await one.app.stop();
});

it('a network that drops packets to Redis delays nobody, is reported, and is replaced by new connections', async () => {
  const network = await createNetwork((await startRedis()).url);
  const { one, two, expectService } = await startTwo(network.url);
  await untilConnected(two);
  network.dropPackets();
  await expectService('at-once');
  await untilCutOff(two);
  network.deliverPackets();
  await untilConnected(one);
  await untilConnected(two);
  await expectService('after');
});
