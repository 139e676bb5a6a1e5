import { beforeEach, describe, expect, it } from 'vitest';
import { deleteExpiredIds, signInLink } from '../../src/console/session/one-time-ids.ts';
import { credentialsOf, signedInAs, signInTo } from '../support/console.ts';
import { execute } from '../support/global-setup.ts';
import { startTestServer } from '../support/server.ts';

const MINUTE_MS = 60_000;
const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const environment = { FAILED_CREDENTIALS_PER_MINUTE: '5', TRUST_PROXY: 'true' };
const server = await startTestServer(environment, { clock });
const ADMIN_TOKEN = server.quickstart.adminToken;
const shared = { ...environment, ADMIN_TOKEN, DATABASE_URL: server.databaseUrl };
/** Another process on the same database. */
const second = await startTestServer(shared, { clock });

/** Every test comes from an address of its own, since wrong credentials are counted by address. */
let tests = 0;
beforeEach(() => {
  tests++;
});
const address = (host = 1) => ({ 'x-forwarded-for': `198.51.${tests}.${host}` });
const show = (credentials: unknown, headers = address()) =>
  signInTo(server.url, credentials, headers);

const kinds = credentialsOf(server);
type Role = keyof typeof kinds;

/** The same credentials with a wrong secret. */
const wrong = (role: Role) => {
  const entries = Object.entries(kinds[role]);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, /token/i.test(name) ? `${value}x` : value]),
  );
};

describe.each<Role>(['administrator', 'owner', 'operator'])('the credentials of the %s', (role) => {
  it('sign in, are refused with a wrong secret, and slowed after too many from one address', async () => {
    const { status, body, cookie } = await show(kinds[role]);
    expect([status, body.signedIn.role]).toEqual([200, role]);
    expect(await signedInAs(server.url, cookie)).toEqual(body.signedIn);
    for (let n = 0; n < 5; n++) {
      const refused = await show(wrong(role));
      expect([refused.status, refused.setCookie]).toEqual([403, undefined]);
    }
    const slowed = await show(wrong(role));
    expect([slowed.status, slowed.body.error.status]).toEqual([429, 'RESOURCE_EXHAUSTED']);
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await show(wrong(role), address(2))).status).toBe(403);
  });
});

describe('the sign-in', () => {
  it('takes complete credentials of exactly one kind', async () => {
    const { administrator, owner, operator } = kinds;
    const malformed = [
      {},
      null,
      [],
      'text',
      { adminToken: '' },
      { adminToken: ['x'] },
      { workspaceId: owner.workspaceId },
      { apiKey: operator.apiKey, workspaceAuthToken: owner.workspaceAuthToken },
      { ...administrator, ...operator },
    ];
    for (const credentials of malformed) {
      const { status, setCookie } = await show(credentials);
      expect([status, setCookie], JSON.stringify(credentials)).toEqual([400, undefined]);
    }
  });

  it('does not take the secret of one kind for that of another', async () => {
    const { administrator, owner, operator } = kinds;
    const mixed = [
      { adminToken: owner.workspaceAuthToken },
      { adminToken: operator.authToken },
      { workspaceId: owner.workspaceId, workspaceAuthToken: administrator.adminToken },
      { apiKey: operator.apiKey, authToken: owner.workspaceAuthToken },
      { apiKey: owner.workspaceId, authToken: operator.authToken },
    ];
    for (const credentials of mixed) expect((await show(credentials)).status).toBe(403);
  });

  it('gives a cookie that scripts and other sites cannot use, and only for its lifetime', async () => {
    const { setCookie, headers } = await show(kinds.operator);
    const attributes = setCookie?.split('; ').slice(1);
    expect(attributes?.sort()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict']);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('gives another session each time, whatever cookie the browser had', async () => {
    const first = await show(kinds.operator);
    const planted = { ...address(), cookie: first.cookie };
    const next = await show(kinds.administrator, planted);
    expect(next.cookie).not.toBe(first.cookie);
    const role = async (cookie: string) => (await signedInAs(server.url, cookie))?.role;
    // Whoever planted the cookie has gained nothing by the sign-in.
    expect([await role(first.cookie), await role(next.cookie)]).toEqual([
      'operator',
      'administrator',
    ]);
  });

  it('gives no session that it cannot record', async () => {
    const rename = (from: string, to: string) =>
      execute(server.databaseUrl, `ALTER TABLE ${from} RENAME TO ${to}`);
    await rename('console_acts', 'missing_acts');
    const { status, setCookie } = await show(kinds.administrator);
    await rename('missing_acts', 'console_acts');
    expect([status, setCookie]).toEqual([500, undefined]);
  });

  it('opens no cookie that the server did not seal, or that was changed', async () => {
    const { cookie } = await show(kinds.operator);
    const changed = cookie.slice(0, -1) + (cookie.endsWith('A') ? 'B' : 'A');
    const link = signInLink(server.app.services).split('#')[1];
    const session = { id: 'x', role: 'administrator', proof: { kind: 'adminToken', mac: '' } };
    const plain = Buffer.from(JSON.stringify(session)).toString('base64url');
    for (const forged of [changed, 'console=', `console=${link}`, `console=${plain}`]) {
      expect(await signedInAs(server.url, forged), forged.slice(0, 20)).toBeNull();
    }
  });
});

describe('the link that a start prints', () => {
  const newLink = () => signInLink(server.app.services).split('#')[1];

  it('has its secret in the fragment, which browsers never send, and signs in as administrator', async () => {
    const link = signInLink(server.app.services);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/sign-in#v1\.[\w.-]+$/);
    const { status, body } = await show({ link: link.split('#')[1] });
    expect([status, body.signedIn.role]).toEqual([200, 'administrator']);
  });

  it('works once, also over two processes, when many try at the same time, and for good', async () => {
    const link = newLink();
    const tries = [server, second, server, second, server].map(({ url }, n) =>
      signInTo(url, { link }, address(n)),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 403, 403, 403, 403]);
    for (const minutes of [1, 9, 20]) {
      clock.time += minutes * MINUTE_MS;
      await deleteExpiredIds(server.app.services);
      expect((await show({ link })).status).toBe(403);
    }
  });

  it('works for ten minutes', async () => {
    const [early, late] = [newLink(), newLink()];
    clock.time += 10 * MINUTE_MS - 1;
    expect((await show({ link: early })).status).toBe(200);
    clock.time += 1;
    expect((await show({ link: late })).status).toBe(403);
  });

  it('is slowed like other credentials when it is guessed', async () => {
    const link = `${newLink()?.slice(0, -4)}AAAA`;
    for (let n = 0; n < 5; n++) expect((await show({ link })).status).toBe(403);
    expect((await show({ link })).status).toBe(429);
  });
});
