import { beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/platform/logging.ts';
import type { Headers } from '../support/answers.ts';
import { connect, makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createTenant, startTestServer } from '../support/server.ts';
import { addressOf } from '../support/subscriptions.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const logged: string[] = [];
const log = createLogger('info', { write: (line) => logged.push(line) });
const environment = { FAILED_CREDENTIALS_PER_MINUTE: '6', TRUST_PROXY: 'true' };
const server = await startTestServer(environment, { clock, log });
await makePlan(server);

/** Every test has its own addresses. */
let tests = 0;
beforeEach(() => {
  tests++;
});
const address = (host = 1) => ({ 'x-forwarded-for': `198.51.${tests}.${host}` });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const forged = (token: string) => `${token.slice(0, -10)}${'x'.repeat(10)}`;

const READ = '/v2/organizations/documents/get';
const read = (headers: Headers) => server.call(READ, { organizationId: 'acme' }, headers);
const readTyped = (headers: Headers) =>
  fetch(server.url + addressOf('documents.get', { organizationId: 'acme' }), { headers });

async function statuses(times: number, ask: () => Promise<{ status: number }>) {
  const counts: Record<number, number> = {};
  for (let n = 0; n < times; n++) {
    const { status } = await ask();
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const users = '/v2/users/get';
const ed = await userToken(server, 'ed', { accessRole: 'editor' });
/** A path with the right credentials of a level, and the wrong ones. */
const LEVELS: Array<[path: string, right: Headers, wrong: Headers]> = [
  ['/v2/workspace/update', server.adminHeaders, { 'x-svc-admin-token': 'wrong' }],
  [
    '/v2/workspace/get',
    server.workspaceHeaders,
    { ...server.workspaceHeaders, 'x-svc-workspace-auth-token': 'wrong' },
  ],
  [READ, server.keyHeaders, { ...server.keyHeaders, 'x-svc-auth-token': 'wrong' }],
  [users, bearer(ed), bearer(forged(ed))],
];

it.each(LEVELS)(
  'wrong credentials for %s are limited to 6 a minute for each address, without limiting correct ones',
  async (path, right, wrong) => {
    const ask = (headers: Headers) =>
      server.call(path, { organizationId: 'acme', documentId: 'plan', workspaceId: '' }, headers);
    const attempt = { ...wrong, ...address() };
    expect(await statuses(8, () => ask(attempt))).toEqual({ 403: 6, 429: 2 });
    const refused = await ask(attempt);
    expect(refused.body.error).toMatchObject({ status: 'RESOURCE_EXHAUSTED', code: 429 });
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(10);
    // Another address is not limited, and neither are right credentials from the same address.
    expect((await ask({ ...wrong, ...address(2) })).status).toBe(403);
    expect([403, 429]).not.toContain((await ask({ ...right, ...address() })).status);
  },
);

describe('wrong credentials', () => {
  const wrongKey = () => ({ ...server.keyHeaders, 'x-svc-auth-token': 'wrong', ...address() });

  it('are counted separately for each key at one address', async () => {
    const other = await createTenant(server);
    await statuses(7, () => read(wrongKey()));
    // The call passed authentication, and its organization is missing.
    expect((await read({ ...other, ...address() })).status).toBe(400);
    const otherWrong = { ...other, 'x-svc-auth-token': 'wrong', ...address() };
    expect((await read(otherWrong)).status).toBe(403);
    expect((await read(wrongKey())).status).toBe(429);
  });

  it('are counted together over REST and tRPC, with Retry-After on both', async () => {
    expect(await statuses(3, () => read(wrongKey()))).toEqual({ 403: 3 });
    expect(await statuses(4, () => readTyped(wrongKey()))).toEqual({ 403: 3, 429: 1 });
    const refused = await readTyped(wrongKey());
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const { error } = await refused.json();
    expect(error.json.data).toMatchObject({ status: 'RESOURCE_EXHAUSTED', httpStatus: 429 });
  });

  it('are counted for editors too, by the address of the socket', async () => {
    const attempt = { ...bearer(forged(ed)), ...address() };
    await statuses(6, () => server.call(users, { organizationId: 'acme' }, attempt));
    const editor = (token: string, host = 1) =>
      ({ url: server.url, name: 'acme/plan/body', token, headers: address(host) }) as const;
    const refused = connect(editor(forged(ed)));
    await eventually(() => expect(refused.refusals).toContain('RESOURCE_EXHAUSTED'));
    refused.provider.destroy();
    const elsewhere = connect(editor(forged(ed), 2));
    await eventually(() => expect(elsewhere.refusals).toEqual(['TOKEN_INVALID']));
    await openEditor(editor(ed));
  });

  it('do not include expired tokens and missing credentials', async () => {
    const token = await userToken(server, 'ed', { accessRole: 'editor' });
    clock.time += 49 * 60 * 60_000;
    const over = { ...bearer(token), ...address() };
    expect(await statuses(8, () => readTyped(over))).toEqual({ 403: 8 });
    expect(await statuses(8, () => read(address()))).toEqual({ 403: 8 });
    clock.time -= 49 * 60 * 60_000;
  });

  it('are logged with address and key in few lines, without the secret', async () => {
    logged.length = 0;
    const secret = 'a-wrong-but-secret-token';
    const wrong = { ...server.keyHeaders, 'x-svc-auth-token': secret, ...address() };
    await statuses(20, () => read(wrong));
    const own = address()['x-forwarded-for'];
    const lines = logged.map((line) => JSON.parse(line)).filter((line) => line.address === own);
    const msg = 'A request had wrong credentials.';
    const key = server.quickstart.apiKey;
    expect(lines).toMatchObject([{ msg, level: 40, credentials: 'apiKey', key }]);
    expect(logged.join('')).not.toContain(secret);
  });
});
