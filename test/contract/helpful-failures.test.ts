import { describe, expect, it } from 'vitest';
import { dataOf } from '../support/answers.ts';
import { post, startTestServer } from '../support/server.ts';

/** A mistake that newcomers make gets a sentence that mends it. */
const server = await startTestServer();

const messageOf = async (response: Response) => (await response.json()).error.message;

describe('a value that is not valid', () => {
  const workspace = '/v2/workspace/update';
  const annotations = '/v2/commentannotations/get';
  it.each<[string, string, string, unknown]>([
    ['must be a whole number', workspace, 'maxProductionKeys', 1.5],
    ['must be a number, not string', workspace, 'maxProductionKeys', 'x'],
    ['must be at least 0', workspace, 'maxProductionKeys', -1],
    ['must be at most 1000000', workspace, 'maxProductionKeys', 2_000_000],
    ['must not be empty', '/v2/auth/revoke_tokens', 'userIds', []],
    ['must be more than 0', annotations, 'pageSize', 0],
    ['must have at most 256 characters', annotations, 'organizationId', 'x'.repeat(257)],
    ['must be well-formed Unicode without control characters', annotations, 'agentId', '\ud800'],
    ['is missing', '/v2/crdt/update', 'data', undefined],
  ])('is refused with a plain sentence: %s', async (message, at, path, value) => {
    const headers = at === workspace ? server.adminHeaders : server.keyHeaders;
    const { body } = await post(`${server.url}${at}`, { data: { [path]: value } }, headers);
    expect(body.error.details.issues).toContainEqual({ path, message });
  });

  const people = { displayHeadlineMessageTemplateData: { who: { name: 'Ada' }, what: 5 } };
  it.each<[string, string, string, object]>([
    [
      'locationIds[0]',
      'must be a string or a number, not object',
      annotations,
      { locationIds: [{}] },
    ],
    [
      'displayHeadlineMessageTemplateData.who.userId',
      'is missing, and must be a string',
      '/v2/notifications/add',
      people,
    ],
    [
      'displayHeadlineMessageTemplateData.what',
      'must be a string or an object, not number',
      '/v2/notifications/add',
      people,
    ],
    [
      'webhookServiceConfig.rawNotificationUrl',
      'must be an http or https URL, or empty',
      '/v2/workspace/webhookconfig/update',
      { webhookServiceConfig: { rawNotificationUrl: 'x' } },
    ],
    [
      'emailServiceConfig.fromEmail',
      'must be an e-mail address, or empty',
      '/v2/workspace/emailconfig/update',
      { emailServiceConfig: { fromEmail: null } },
    ],
    [
      '',
      'The input must give at least one field of useEmailService, emailServiceConfig.',
      '/v2/workspace/emailconfig/update',
      {},
    ],
  ])('is refused where it is: %s %s', async (path, message, at, data) => {
    const { error } = (await server.call(at, data)).body;
    expect(error.details.issues).toContainEqual({ path, message });
  });

  it('is named where a key of the body is reserved', async () => {
    const headers = { ...server.keyHeaders, 'content-type': 'application/json' };
    const body = '{"data":{"organizationId":"acme","__proto__":{}}}';
    const refused = await fetch(`${server.url}/v2/users/get`, { method: 'POST', headers, body });
    expect(await messageOf(refused)).toContain('__proto__');
  });
});

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

  it.each([
    ['Data', { Data: {} }, 'Did you mean data?'],
    ['date', { date: {} }, 'Did you mean data?'],
    [
      'accessType',
      { data: {}, accessType: 'restricted' },
      'Fields of the input belong inside data',
    ],
  ])('with %s beside data is told so', async (path, body, hint) => {
    const answer = await post(`${server.url}/v1/users/add`, body, server.keyHeaders);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      message: `${path}: is not known here. ${hint} (operation users.add)`,
      details: { issues: [{ path }] },
    });
  });

  it('of a typed client with a field beside json is told so, also in a batch', async () => {
    const input = { json: { organizationId: 'acme', users: [] }, users: [{ userId: 'ada' }] };
    const one = await post(`${server.url}/trpc/users.add`, input, server.keyHeaders);
    const url = `${server.url}/trpc/users.add?batch=1`;
    const [batched] = (await post(url, { 0: input }, server.keyHeaders)).body;
    for (const { error } of [one.body, batched]) {
      expect(error.json.data).toMatchObject({
        status: 'INVALID_ARGUMENT',
        details: { issues: [{ path: 'users' }] },
      });
    }
  });

  it.each([
    ['/v1/users/add/', '/v1/users/add'],
    ['/V1/Users/Add', '/v1/users/add'],
    ['/v2/user/create', '/v1/users/add'],
    ['/api/v1/users/add', '/v1/users/add'],
    ['/users.add', '/v1/users/add'],
    ['/v2/comment-annotations/list', '/v2/commentannotations/get'],
    ['/v2/documents/get', '/v2/organizations/documents/get'],
    ['/v2/organization/get', '/v2/organizations/get'],
  ])('at %s is told the path', async (path, meant) => {
    const response = await fetch(server.url + path, { method: 'POST' });
    expect(response.status).toBe(404);
    expect(await messageOf(response)).toContain(`Did you mean ${meant}?`);
  });

  it.each(['/', '/wp-login.php', '/v2/nothing/like/this', '/get', '/%00', `/${'a'.repeat(4_000)}`])(
    'at %s is told no path',
    async (path) => {
      const response = await fetch(server.url + path, { method: 'POST' });
      expect(await response.text()).not.toContain('Did you mean');
    },
  );

  it('that is not valid is told the operation, the field, and what is needed', async () => {
    const failureFor = async (path: string, data: object) =>
      (await server.call(path, data)).body.error;
    expect(await failureFor('/v1/users/add', { organizationId: 5, users: {} })).toMatchObject({
      message: 'organizationId: must be a string, not number (operation users.add)',
      details: { issues: [{ path: 'organizationId' }, { path: 'users' }] },
    });
    expect(await failureFor('/v2/users/get', {})).toMatchObject({
      message: 'organizationId: is missing, and must be a string (operation users.get)',
    });
    const organizationId = 'acme';
    const folders = [{ folderId: 'f', accessType: 'secret' }];
    const { message } = await failureFor('/v2/organizations/folders/add', {
      organizationId,
      folders,
    });
    expect(message).toMatch(/^folders\[0\]\.accessType: must be one of "organizationPrivate", "/);
  });

  it('that never reaches the operation is told its name', async () => {
    const path = `${server.url}/v1/users/add`;
    const headers = { ...server.keyHeaders, 'content-type': 'application/json' };
    const plain = { ...server.keyHeaders, 'content-type': 'text/plain' };
    for (const request of [
      { method: 'GET' },
      { method: 'POST', headers, body: '{"data":' },
      { method: 'POST', headers, body: '' },
      { method: 'POST', headers: plain, body: '{"data":{}}' },
    ]) {
      const { error } = await (await fetch(path, request)).json();
      expect(error.message).toContain('(operation users.add)');
      expect(error.message).toMatch(/\{"data": \{…\}\}|application\/json/);
    }
  });

  it('about something that does not exist is told how to add it', async () => {
    const organizationId = 'nowhere';
    for (const path of [
      '/v2/users/get',
      '/v2/organizations/documents/get',
      '/v2/commentannotations/comments/get',
    ]) {
      const place = path.includes('comments') ? { documentId: 'd', annotationId: 'a' } : {};
      const { body } = await server.call(path, { organizationId, ...place });
      expect(body.error.message, path).toContain('organizations.add');
    }
    const place = { organizationId: 'here', documentId: 'none' };
    const organizations = [{ organizationId: 'here' }];
    dataOf(await server.call('/v2/organizations/add', { organizations }));
    const recordings = await server.call('/v2/recordings/get', place);
    expect(recordings.body.error.message).toContain('documents.add');
  });
});

describe('credentials', () => {
  const path = '/v2/users/get';
  const messageFor = async (headers: Record<string, string>, to = path) =>
    (await server.call(to, { organizationId: 'acme' }, headers)).body.error.message;

  it('that are missing are named', async () => {
    const { apiKey } = server.quickstart;
    expect(await messageFor({})).toMatch(/x-svc-api-key and x-svc-auth-token are missing/);
    expect(await messageFor({})).toContain('(operation users.get)');
    expect(await messageFor({}, '/v2/workspace/get')).toMatch(/\(operation \w+\.get\)/);
    const wrong = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': 'wrong' };
    expect(await messageFor(wrong)).toBe('Invalid API key or auth token. (operation users.get)');
    const noToken = /; x-svc-auth-token is missing/;
    expect(await messageFor({ 'x-svc-api-key': apiKey })).toMatch(noToken);
    expect(await messageFor({ 'x-svc-api-key': apiKey, 'x-svc-auth-token': '' })).toMatch(noToken);
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
    expect(await messageFor({ 'x-svc-auth-token': token })).toContain('Bearer <user token>');
    expect(await messageFor({ 'x-svc-api-key': authToken, 'x-svc-auth-token': apiKey })).toContain(
      'is the shorter one',
    );
    expect(await messageFor({ 'x-api-key': apiKey })).toContain('x-api-key is not read');
    expect(await messageFor(server.workspaceHeaders)).toContain('those of a workspace');
    expect(await messageFor(server.keyHeaders, '/v2/workspace/get')).toContain(
      'those of an API key',
    );
  });
});

describe('credentials in the address or the body', () => {
  it('are told the place for them', async () => {
    const { apiKey, authToken } = server.quickstart;
    const query = new URLSearchParams({ apiKey, authToken });
    for (const [path, data] of [
      [`/v2/users/get?${query}`, { organizationId: 'acme' }],
      ['/v2/users/get', { organizationId: 'acme', apiKey, authToken }],
    ] as const) {
      const { body } = await server.call(path, data, {});
      expect(body.error.message).toContain('from headers, not from the address or the body');
    }
  });

  it('of a subscription are told what browsers can send', async () => {
    const response = await fetch(
      `${server.url}/trpc/comments.changes?input=%7B%22json%22%3A%7B%7D%7D`,
    );
    expect(await response.text()).toMatch(/\{ token \} over a WebSocket, \{ ticket \}/);
  });
});

describe('a typed client', () => {
  it.each([
    ['/trpc/user.get', 'Did you mean users.get?'],
    ['/trpc/documents.list', 'Did you mean documents.get?'],
    ['/trpc/comment.changes', 'Did you mean comments.changes?'],
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

  it('that sends no superjson, or subscribes by POST, is told the form', async () => {
    const headers = { ...server.keyHeaders, 'content-type': 'application/json' };
    const post = async (name: string) => {
      const body = JSON.stringify({ organizationId: 'acme' });
      const response = await fetch(`${server.url}/trpc/${name}`, { method: 'POST', headers, body });
      return response.text();
    };
    expect(await post('users.add')).toContain('{\\"json\\": {…}}');
    expect(await post('comments.changes')).toContain('call it with subscribe');
  });
});
