import type { AnyProcedure } from '@trpc/server';
import { describe, expect, it } from 'vitest';
import { consoleRouter } from '../../src/console/operations/router.ts';
import { deleteExpiredIds } from '../../src/console/session/one-time-ids.ts';
import type { Headers } from '../support/answers.ts';
import {
  callConsole,
  consoleFailure,
  credentialsOf,
  OWN_PAGE,
  signedInAs,
  signInTo,
  signOut,
} from '../support/console.ts';
import { post, startTestServer } from '../support/server.ts';
import { createWorkspace, createWorkspaceKey } from '../support/workspaces.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const server = await startTestServer({}, { clock });

type Role = 'administrator' | 'owner' | 'operator';

const signIn = async (role: Role = 'operator') =>
  (await signInTo(server.url, credentialsOf(server)[role])).cookie;

/** The request of a page that shows organizations; an act of the person keeps the session alive. */
async function read(cookie: string, { isAct = false, url = server.url } = {}) {
  const headers = { ...OWN_PAGE, cookie, 'x-console-active': isAct ? '1' : '0' };
  const address = `${url}/console/trpc/console.keys.list?input=%7B%22json%22:%7B%7D%7D`;
  const response = await fetch(address, { headers });
  const renewed = response.headers.getSetCookie()[0]?.split(';', 1)[0];
  return { status: response.status, renewed, headers: response.headers };
}
const statusOf = async (cookie: string) => (await read(cookie)).status;

describe('a session', () => {
  it('ends after an hour without an act of its person, for the page and its calls', async () => {
    const cookie = await signIn();
    clock.time += HOUR_MS - 1;
    expect(await statusOf(cookie)).toBe(200);
    clock.time += 1;
    expect(await statusOf(cookie)).toBe(401);
    expect(await signedInAs(server.url, cookie)).toBeNull();
  });

  it('is kept alive by acts, and not by calls that a page repeats by itself', async () => {
    const cookie = await signIn();
    clock.time += 50 * MINUTE_MS;
    expect((await read(cookie)).renewed).toBeUndefined();
    const { renewed } = await read(cookie, { isAct: true });
    clock.time += 50 * MINUTE_MS;
    expect(await statusOf(renewed ?? '')).toBe(200);
    expect(await statusOf(cookie)).toBe(401);
  });

  it('ends twelve hours after the sign-in, whatever is done', async () => {
    let cookie = await signIn();
    for (let n = 0; n < 14; n++) {
      clock.time += 50 * MINUTE_MS;
      cookie = (await read(cookie, { isAct: true })).renewed ?? '';
      expect(await statusOf(cookie)).toBe(200);
    }
    clock.time += 20 * MINUTE_MS - 1;
    expect(await statusOf(cookie)).toBe(200);
    clock.time += 1;
    expect(await statusOf(cookie)).toBe(401);
  });
});

describe('a sign-out', () => {
  it('ends the session also for a copy of its cookie, in all processes', async () => {
    const { adminToken: ADMIN_TOKEN } = server.quickstart;
    const shared = { DATABASE_URL: server.databaseUrl, ADMIN_TOKEN };
    const second = await startTestServer(shared, { clock });
    const [cookie, other] = [await signIn(), await signIn()];
    const left = await signOut(server.url, cookie);
    expect(left.status).toBe(204);
    expect(left.headers.getSetCookie()[0]).toMatch(/^console=; .*Expires=Thu, 01 Jan 1970/);
    expect(await statusOf(cookie)).toBe(401);
    expect((await read(cookie, { url: second.url })).status).toBe(401);
    expect(await signedInAs(second.url, cookie)).toBeNull();
    // Another session of the same person remains valid.
    expect(await statusOf(other)).toBe(200);
    for (const ended of ['', cookie]) expect((await signOut(server.url, ended)).status).toBe(204);
  });

  it('also ends a copy that was kept alive for longer than the cookie that signs out', async () => {
    const cookie = await signIn();
    clock.time += 59 * MINUTE_MS;
    const copy = (await read(cookie, { isAct: true })).renewed ?? '';
    await signOut(server.url, cookie);
    expect(await statusOf(copy)).toBe(401);
    clock.time += 30 * MINUTE_MS;
    await deleteExpiredIds(server.app.services);
    expect(await statusOf(copy)).toBe(401);
  });
});

describe('a change of credentials', () => {
  it('ends the sessions of an API key when its auth token is reset', async () => {
    const headers = await createWorkspaceKey(server);
    const [apiKey = '', authToken] = [headers['x-svc-api-key'], headers['x-svc-auth-token']];
    const { cookie } = await signInTo(server.url, { apiKey, authToken });
    expect(await statusOf(cookie)).toBe(200);
    const administrator = await signIn('administrator');
    const call = { url: server.url, cookie: administrator, apiKey };
    await callConsole(call, 'authTokens.reset', 'mutation', { apiKey, authToken });
    expect(await statusOf(cookie)).toBe(401);
    expect(await statusOf(administrator)).toBe(200);
  });

  it('ends the sessions of a workspace when its token is reset', async () => {
    const headers = await createWorkspace(server);
    const { cookie } = await signInTo(server.url, {
      workspaceId: headers['x-svc-workspace-id'],
      workspaceAuthToken: headers['x-svc-workspace-auth-token'],
    });
    await server.ok('/v2/workspace/token/reset', {}, headers);
    expect(await statusOf(cookie)).toBe(401);
  });

  it('ends the sessions of the administrator when the server has another admin token', async () => {
    const cookie = await signIn('administrator');
    const owner = await signIn('owner');
    const settings = { DATABASE_URL: server.databaseUrl, ADMIN_TOKEN: 'another-admin-token' };
    const renamed = await startTestServer(settings, { clock });
    expect((await read(cookie, { url: renamed.url })).status).toBe(401);
    expect((await read(owner, { url: renamed.url })).status).toBe(200);
  });
});

it('a disabled API key signs nobody in, ends its sessions and shows nothing, until it is enabled', async () => {
  const headers = await createWorkspaceKey(server);
  const [apiKey = '', authToken = ''] = [headers['x-svc-api-key'], headers['x-svc-auth-token']];
  const { cookie } = await signInTo(server.url, { apiKey, authToken });
  const call = { url: server.url, cookie: await signIn('administrator'), apiKey };
  const disable = (disabled: boolean) =>
    callConsole(call, 'apiKeys.update', 'mutation', { apiKey, disabled });
  await disable(true);
  expect([await statusOf(cookie), await signedInAs(server.url, cookie)]).toEqual([401, null]);
  const refused = await signInTo(server.url, { apiKey, authToken });
  expect([refused.status, refused.setCookie]).toEqual([403, undefined]);
  expect(refused.body.error.details).toMatchObject({ reason: 'API_KEY_DISABLED' });
  expect((await server.call('/v2/events/get', {}, headers)).status).toBe(403);

  // Its content is closed to the administrator, too. The key is checked before the input, so the input need not fit.
  // Names are dotted at run time, unlike in the types.
  const procedures = consoleRouter._def.procedures as unknown as Record<string, AnyProcedure>;
  for (const [name, { _def }] of Object.entries(procedures)) {
    // Procedures about several keys show nothing of the content of any.
    if (/\.(audit|keys|overview|requests)\./.test(name)) continue;
    const kind = _def.type === 'mutation' ? 'mutation' : 'query';
    const failure = await consoleFailure(call, name, kind, {});
    expect(failure?.details, name).toMatchObject({ reason: 'API_KEY_DISABLED' });
  }
  const listed = await callConsole(call, 'console.keys.list', 'query', {});
  expect(listed.keys).toContainEqual(expect.objectContaining({ apiKey, disabled: true }));
  await disable(false);
  expect(await statusOf(cookie)).toBe(200);
});

describe('a request that no page of the console sends', () => {
  const origin = new URL(server.url).origin;

  it.each<[string, Headers]>([
    ['without the header of its pages', {}],
    ['with another value in it', { 'x-console': 'true' }],
    ['of another site', { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' }],
    ['of a sibling domain', { ...OWN_PAGE, 'sec-fetch-site': 'same-site' }],
    ['of a person who typed it', { ...OWN_PAGE, 'sec-fetch-site': 'none' }],
    ['of another port', { ...OWN_PAGE, origin: 'http://127.0.0.1:1' }],
    ['of a sandboxed frame', { ...OWN_PAGE, origin: 'null' }],
    [
      'of another origin that claims to be this one',
      { ...OWN_PAGE, origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ],
  ])('%s is refused: calls, sign-in and sign-out', async (_what, headers) => {
    const cookie = await signIn();
    const json = { organizationId: 'acme', users: [{ userId: 'mallory' }] };
    const sent = { ...headers, cookie, 'x-console-api-key': server.quickstart.apiKey };
    const trpc = `${server.url}/console/trpc`;
    const session = `${server.url}/console/session`;
    expect((await post(`${trpc}/users.add`, { json }, sent)).status).toBe(403);
    expect((await fetch(`${trpc}/console.keys.list`, { headers: sent })).status).toBe(403);
    const entered = await post(session, credentialsOf(server).administrator, headers);
    const left = await fetch(session, { method: 'DELETE', headers: { ...headers, cookie } });
    for (const answer of [entered, left]) {
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
    }
    expect(await statusOf(cookie)).toBe(200);
    const { body } = await server.call('/v2/organizations/get', {});
    expect(body.result.data).toEqual([]);
  });

  it('differs from requests of its own pages, with either header of browsers or both', async () => {
    const cookie = await signIn();
    const fromPage: Headers = { 'sec-fetch-site': 'same-origin' };
    for (const headers of [{ origin }, { origin, ...fromPage }, fromPage]) {
      const call = { url: server.url, cookie, headers };
      expect(await consoleFailure(call, 'console.keys.list', 'query', {})).toBeUndefined();
    }
  });

  it('gets no permission by CORS to send a cookie', async () => {
    for (const path of ['/console/session', '/console/trpc/users.add']) {
      const response = await fetch(server.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://evil.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-console,content-type',
        },
      });
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it('is not for a subscription, which would outlive the session', async () => {
    const headers = { ...OWN_PAGE, cookie: await signIn('administrator') };
    const input = encodeURIComponent('{"json":{"organizationId":"acme","documentId":"x"}}');
    const sent = { ...headers, 'x-console-api-key': server.quickstart.apiKey };
    const address = `${server.url}/console/trpc/comments.changes?input=${input}`;
    const response = await fetch(address, { headers: sent });
    expect(await response.text()).toContain('The console has no subscriptions.');
  });

  it('gets nothing from the API itself for the cookie', async () => {
    const cookie = await signIn('administrator');
    const { apiKey } = server.quickstart;
    const headers = { ...OWN_PAGE, cookie, 'x-console-api-key': apiKey, 'x-svc-api-key': apiKey };
    const rest = await post(`${server.url}/v2/users/get`, { data: {} }, headers);
    const typed = await fetch(`${server.url}/trpc/users.get`, { headers });
    expect([rest.status, typed.status]).toEqual([403, 403]);
  });
});

describe('the headers of the page', () => {
  const directives = (policy: string) =>
    new Map(policy.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1)]));

  it.each(['/console', '/console/sign-in', '/console/key/x/feedback'])(
    'of %s admit its own scripts alone, and no frame around it',
    async (path) => {
      const seen = new Set<string>();
      for (let n = 0; n < 2; n++) {
        const response = await fetch(server.url + path);
        const html = await response.text();
        const policy = directives(response.headers.get('content-security-policy') ?? '');
        const nonce = /^'nonce-(.{24})'$/.exec(policy.get('script-src')?.[1] ?? '')?.[1] ?? '';
        seen.add(nonce);
        expect(policy.get('script-src')).toEqual(["'self'", `'nonce-${nonce}'`]);
        expect(policy.get('style-src')).toEqual(["'self'", `'nonce-${nonce}'`]);
        for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors']) {
          expect(policy.get(name), name).toEqual(["'none'"]);
        }
        expect(policy.get('connect-src')).toEqual(["'self'", server.url.replace('http', 'ws')]);
        expect(html).not.toMatch(/\son\w+=|\sstyle=|javascript:|__NONCE__/i);
        const tags = html.match(/<(script|style)\b[^>]*>/g) ?? [];
        expect(tags.length).toBeGreaterThan(0);
        for (const tag of tags) expect(tag).toContain(`nonce="${nonce}"`);
        expect(response.headers.get('referrer-policy')).toBe('no-referrer');
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        expect(response.headers.get('cache-control')).toBe('no-store');
      }
      expect(seen.size).toBe(2);
    },
  );

  it('keep answers to the signed-in person out of caches', async () => {
    const { headers } = await read(await signIn());
    expect(headers.get('cache-control')).toBe('no-store');
    const session = await fetch(`${server.url}/console/session`);
    expect(session.headers.get('cache-control')).toBe('no-store');
  });
});

it('the calls of an address are limited before the person is known, and so are sign-ins and sign-outs', async () => {
  const limited = await startTestServer({ RATE_LIMIT_PER_SECOND: '5' }, { clock });
  const nobody = async () => {
    const calls = Array.from({ length: 20 }, () => read('console=forged', { url: limited.url }));
    return (await Promise.all(calls)).map(({ status }) => status);
  };
  expect(await nobody()).toContain(429);
  const credentials = credentialsOf(limited).operator;
  const statuses: number[] = [];
  for (let n = 0; n < 61; n++) statuses.push((await signInTo(limited.url, credentials)).status);
  expect(statuses.at(-1)).toBe(429);
  expect((await signOut(limited.url, '')).status).toBe(429);
});
