import { expect, it } from 'vitest';
import type { Headers } from '../../support/answers.ts';
import { credentialsOf, OWN_PAGE, signInTo } from '../../support/console.ts';
import { eventually } from '../../support/eventually.ts';
import { restFailure } from '../../support/operations.ts';
import { createTenant, startTestServer } from '../../support/server.ts';

const server = await startTestServer({ RATE_LIMIT_PER_SECOND: '5' });

const burst = (calls: number, headers: Headers) =>
  Promise.all(Array.from({ length: calls }, () => server.call('/v2/events/get', {}, headers)));

it('the rate limit refuses the sixth call in a second with Retry-After, and does not affect other keys', async () => {
  // Repeated for a busy machine, on which six calls may take longer than a second.
  const { refused, others } = await eventually(async () => {
    const [key, other] = [await createTenant(server), await createTenant(server)];
    const [answers, others] = await Promise.all([burst(6, key), burst(5, other)]);
    const [refused, ...more] = answers.filter(({ status }) => status === 429);
    if (!refused || more.length > 0) throw new Error(`${more.length} more were refused.`);
    return { refused, others };
  });
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(restFailure(refused)).toMatchObject({ http: 429, status: 'RESOURCE_EXHAUSTED' });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
});

it('the rate limit does not count calls with wrong credentials against the key', async () => {
  const key = await createTenant(server);
  const denied = await burst(20, { ...key, 'x-svc-auth-token': 'wrong' });
  const answers = await burst(5, key);
  const statuses = [...denied, ...answers].map(({ status }) => status);
  expect(statuses).toEqual([...Array(20).fill(403), ...Array(5).fill(200)]);
});

it('the rate limit counts tRPC calls and REST calls together', async () => {
  const refused = await eventually(async () => {
    const key = await createTenant(server);
    const call = () =>
      fetch(`${server.url}/trpc/events.get?input=%7B%22json%22%3A%7B%7D%7D`, { headers: key });
    const answers = await Promise.all([
      ...Array.from({ length: 3 }, call),
      ...Array.from({ length: 3 }, () => server.call('/v2/events/get', {}, key)),
    ]);
    const found = answers.filter(({ status }) => status === 429);
    expect(found).toHaveLength(1);
    return found;
  });
  expect(refused[0]?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
});

it.each(['console.events.list', 'console.keys.list'])(
  'the rate limit counts each %s of a batch',
  async (name) => {
    const { operator } = credentialsOf(server);
    const { cookie } = await signInTo(server.url, operator);
    const calls = Array.from({ length: 10 }, (_, at) => [at, { json: {} }]);
    const input = encodeURIComponent(JSON.stringify(Object.fromEntries(calls)));
    const names = calls.map(() => name).join(',');
    const headers = { ...OWN_PAGE, cookie, 'x-console-api-key': operator.apiKey };
    const address = `${server.url}/console/trpc/${names}?batch=1&input=${input}`;
    const answers = await (await fetch(address, { headers })).json();
    const refused = answers.filter((answer: { error?: object }) => answer.error);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    for (const { error } of refused) expect(error.json.data.httpStatus).toBe(429);
  },
);
