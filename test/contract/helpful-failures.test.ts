import { createTRPCUntypedClient, httpBatchLink } from '@trpc/client';
import superjson from 'superjson';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from '../support/answers.ts';
import { post, startTestServer, type TestServer } from '../support/server.ts';

/** A mistake that newcomers make gets a sentence that mends it. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});

const messageOf = async (response: Response) => (await response.json()).error.message;

describe('a request to an operation', () => {
  it('by GET is told the method and the form of the body', async () => {
    const response = await fetch(`${server.url}/v1/users/add`);
    expect(response.status).toBe(405);
    expect(await messageOf(response)).toMatch(/POST only, and not GET.*\{"data": \{…\}\}/);
  });

  it('without data is told its form and the name of the operation', async () => {
    for (const body of [{}, { organizationId: 'acme' }]) {
      const answer = await post(`${server.url}/v1/users/add`, body, server.keyHeaders);
      expect(answer.body.error.message).toMatch(/^data: is missing.*users\.add.*\{"data": \{…\}\}/);
    }
  });

  it.each(['/v1/users/add/', '/V1/Users/Add', '/v2/users/add'])(
    'at %s is told the path',
    async (path) => {
      const response = await fetch(server.url + path, { method: 'POST' });
      expect(response.status).toBe(404);
      expect(await messageOf(response)).toContain('Did you mean /v1/users/add?');
    },
  );
});

describe('credentials', () => {
  const path = '/v2/users/get';
  const messageFor = async (headers: Record<string, string>, to = path) =>
    (await server.call(to, { organizationId: 'acme' }, headers)).body.error.message;

  it('that are missing are named', async () => {
    const { apiKey } = server.quickstart;
    expect(await messageFor({})).toMatch(/x-svc-api-key and x-svc-auth-token are missing/);
    expect(await messageFor({ 'x-svc-api-key': apiKey })).toMatch(/; x-svc-auth-token is missing/);
    expect(await messageFor({}, '/v2/workspace/get')).toContain('x-svc-workspace-auth-token');
    expect(await messageFor({}, '/v2/workspace/create')).toContain('x-svc-admin-token');
  });

  it('in the wrong header, or of the wrong level, are told the right ones', async () => {
    const { apiKey, authToken } = server.quickstart;
    const { token } = dataOf(await server.call('/v2/auth/generate_token', { userId: 'ada' }));
    expect(await messageFor({ authorization: `Bearer ${authToken}` })).toContain(
      'x-svc-auth-token',
    );
    expect(await messageFor({ authorization: token })).toContain('"Bearer", a space');
    expect(await messageFor({ 'x-svc-api-key': apiKey, 'x-svc-auth-token': token })).toContain(
      'authorization: Bearer <user token>',
    );
    expect(await messageFor(server.workspaceHeaders)).toContain('those of a workspace');
    expect(await messageFor(server.keyHeaders, '/v2/workspace/get')).toContain(
      'those of an API key',
    );
  });
});

describe('a typed client', () => {
  it.each([
    ['/trpc/users/add', 'users.add'],
    ['/trpc/Users.add', 'Did you mean users.add?'],
    ['/trpc/v1.users.add', 'users.add'],
    ['/trpc/nothing.here', 'operationId'],
  ])('at %s is told how procedures are named', async (path, hint) => {
    const response = await fetch(server.url + path, { method: 'POST' });
    expect(response.status).toBe(404);
    expect((await response.json()).error.json.message).toContain(hint);
  });

  it('that reads a change is told the method', async () => {
    const response = await fetch(`${server.url}/trpc/users.add?input=%7B%7D`, {
      headers: server.keyHeaders,
    });
    expect(response.status).toBe(405);
    expect((await response.json()).error.json.message).toContain('mutate');
  });

  it('may read over POST, which keeps ids out of addresses', async () => {
    const urls: string[] = [];
    const client = createTRPCUntypedClient({
      links: [
        httpBatchLink({
          url: `${server.url}/trpc`,
          headers: server.keyHeaders,
          transformer: superjson,
          methodOverride: 'POST',
          fetch: (url, options) => {
            urls.push(String(url));
            return fetch(url, options as RequestInit);
          },
        }),
      ],
    });
    expect(await client.query('events.get', { after: undefined, limit: 7 })).toMatchObject({});
    expect(urls).toEqual([`${server.url}/trpc/events.get?batch=1`]);
  });
});
