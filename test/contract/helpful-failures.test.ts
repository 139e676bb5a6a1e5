import { describe, expect, it } from 'vitest';
import type { Headers } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { post, startTestServer } from '../support/server.ts';

/** The answer to a mistake that newcomers make says how to correct it. */
const server = await startTestServer();
const { apiKey, authToken } = server.quickstart;
const { token } = await server.ok('/v2/auth/generate_token', { userId: 'ada' });

const errorOf = async (path: string, data: unknown, headers?: Headers) =>
  (await server.call(path, data, headers)).body.error;
/** The message of a failure over HTTP, and its status. */
async function send(path: string, request: RequestInit = { method: 'POST' }) {
  const response = await fetch(server.url + path, request);
  const { error } = await response.json();
  return { status: response.status, message: (error.json ?? error).message };
}

const [list, workspace] = ['/v2/commentannotations/get', '/v2/workspace/update'];
const [notify, mail] = ['/v2/notifications/add', '/v2/workspace/emailconfig/update'];
const headline = { displayHeadlineMessageTemplateData: { who: { name: 'Ada' }, what: 5 } };
/** An operation, data that it refuses, and the issue. */
const INVALID: Array<[path: string, data: object, issue: string]> = [
  [workspace, { maxProductionKeys: 1.5 }, 'maxProductionKeys must be a whole number'],
  [workspace, { maxProductionKeys: 'x' }, 'maxProductionKeys must be a number, not string'],
  [workspace, { maxProductionKeys: -1 }, 'maxProductionKeys must be at least 0'],
  [workspace, { maxProductionKeys: 2_000_000 }, 'maxProductionKeys must be at most 1000000'],
  ['/v2/auth/revoke_tokens', { userIds: [] }, 'userIds must not be empty'],
  [list, { pageSize: 0 }, 'pageSize must be more than 0'],
  [list, { organizationId: 'x'.repeat(257) }, 'organizationId must have at most 256 characters'],
  [list, { agentId: '\ud800' }, 'agentId must be well-formed Unicode without control characters'],
  ['/v2/crdt/update', {}, 'data is missing'],
  [list, { locationIds: [{}] }, 'locationIds[0] must be a string or a number, not object'],
  [
    ...([notify, headline] as const),
    'displayHeadlineMessageTemplateData.who.userId is missing, and must be a string',
  ],
  [
    ...([notify, headline] as const),
    'displayHeadlineMessageTemplateData.what must be a string or an object, not number',
  ],
  [
    '/v2/workspace/webhookconfig/update',
    { webhookServiceConfig: { rawNotificationUrl: 'x' } },
    'webhookServiceConfig.rawNotificationUrl must be an http or https URL, or empty',
  ],
  [
    ...([mail, { emailServiceConfig: { fromEmail: null } }] as const),
    'emailServiceConfig.fromEmail must be an email address, or empty',
  ],
  [
    '/v2/workspace/activityconfig/update',
    { activityServiceConfig: { triggers: { '1': {} } } },
    'activityServiceConfig.triggers.1 the name must begin with a letter, and have at most 100 letters, digits, _, . or -',
  ],
  [
    mail,
    {},
    ' The input must contain at least one of the fields useEmailService, emailServiceConfig.',
  ],
];

it.each(INVALID)('%s of %j says what is wrong, and where: %s', async (path, data, issue) => {
  const headers = path.includes('workspace/update') ? server.adminHeaders : server.keyHeaders;
  const { details } = await errorOf(path, data, headers);
  const issues = details.issues.map(
    (each: Record<string, string>) => `${each.path} ${each.message}`,
  );
  expect(issues).toContain(issue);
});

describe('a request to an operation', () => {
  const add = '/v1/users/add';
  const headers = { ...server.keyHeaders, 'content-type': 'application/json' };
  const plain = { ...server.keyHeaders, 'content-type': 'text/plain' };

  it.each<[what: string, request: RequestInit, message: RegExp]>([
    ['by GET', {}, /POST only, not GET.*\{"data": \{…\}\}/],
    [
      'without data',
      { method: 'POST', headers, body: '{}' },
      /^data: is missing.*\{"data": \{…\}\}/,
    ],
    [
      'with its fields beside data',
      { method: 'POST', headers, body: '{"organizationId":"acme"}' },
      /^data: is missing.*\{"data": \{…\}\}/,
    ],
    ['that is cut off', { method: 'POST', headers, body: '{"data":' }, /\{"data": \{…\}\}/],
    ['without a body', { method: 'POST', headers, body: '' }, /\{"data": \{…\}\}/],
    ['of plain text', { method: 'POST', headers: plain, body: '{"data":{}}' }, /application\/json/],
    [
      'with a reserved key',
      { method: 'POST', headers, body: '{"data":{"__proto__":{}}}' },
      /__proto__/,
    ],
  ])(
    '%s gets an answer with the right form and the name of the operation',
    async (_, request, message) => {
      const failure = await send(add, request);
      expect(failure.message).toMatch(message);
      expect(failure.message).toContain('users.add');
    },
  );

  it.each([
    ['Data', { Data: {} }, 'Did you mean data?'],
    ['date', { date: {} }, 'Did you mean data?'],
    ['accessType', { data: {}, accessType: 'x' }, 'Fields of the input belong inside data'],
  ])('with %s beside data gets an answer that says so', async (path, body, hint) => {
    const answer = await post(server.url + add, body, server.keyHeaders);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      message: `${path}: is not known here. ${hint} (operation users.add)`,
      details: { issues: [{ path }] },
    });
  });

  it('of a typed client with a field beside json gets an answer that names the field, also in a batch', async () => {
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
  ])('at %s gets the path that was meant', async (path, meant) => {
    const { status, message } = await send(path);
    expect(status).toBe(404);
    expect(message).toContain(`Did you mean ${meant}?`);
  });

  it.each(['/', '/wp-login.php', '/v2/nothing/like/this', '/get', '/%00', `/${'a'.repeat(4_000)}`])(
    'at %s gets no suggestion of a path',
    async (path) => {
      const response = await fetch(server.url + path, { method: 'POST' });
      expect(await response.text()).not.toContain('Did you mean');
    },
  );

  it('with invalid fields gets the operation, the first such field, and what that needs', async () => {
    expect(await errorOf(add, { organizationId: 5, users: {} })).toMatchObject({
      message: 'organizationId: must be a string, not number (operation users.add)',
      details: { issues: [{ path: 'organizationId' }, { path: 'users' }] },
    });
    const folders = [{ folderId: 'f', accessType: 'secret' }];
    const data = { organizationId: 'acme', folders };
    const { message } = await errorOf('/v2/organizations/folders/add', data);
    expect(message).toMatch(/^folders\[0\]\.accessType: must be one of "organizationPrivate", "/);
  });

  it.each([
    ['/v2/users/get', { organizationId: 'nowhere' }, 'organizations.add'],
    ['/v2/organizations/documents/get', { organizationId: 'nowhere' }, 'organizations.add'],
    [
      '/v2/commentannotations/comments/get',
      { organizationId: 'nowhere', documentId: 'd', annotationId: 'a' },
      'organizations.add',
    ],
    ['/v2/recordings/get', { organizationId: 'here', documentId: 'none' }, 'documents.add'],
  ])(
    'at %s about something that does not exist gets the operation that adds it',
    async (path, data, add) => {
      await organize(server, 'here');
      expect((await errorOf(path, data)).message).toContain(add);
    },
  );
});

describe('credentials', () => {
  const [users, workspace] = ['/v2/users/get', '/v2/workspace/get'];
  it.each<[message: RegExp, headers: Headers, path?: string]>([
    [/x-svc-api-key and x-svc-auth-token are missing.*\(operation users\.get\)/, {}],
    [/x-svc-workspace-auth-token.*\(operation \w+\.get\)/, {}, workspace],
    [/x-svc-admin-token/, {}, '/v2/workspace/create'],
    [
      /^Invalid API key or auth token\. \(operation users\.get\)$/,
      { 'x-svc-api-key': apiKey, 'x-svc-auth-token': 'wrong' },
    ],
    [/; x-svc-auth-token is missing/, { 'x-svc-api-key': apiKey }],
    [/; x-svc-auth-token is missing/, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': '' }],
    [/x-svc-auth-token/, { authorization: `Bearer ${authToken}` }],
    [/"Bearer", a space/, { authorization: token }],
    [/are missing\. Credentials are read/, { authorization: token }, '/v2/auth/generate_token'],
    [/authorization: Bearer <user token>/, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token }],
    [/Bearer <user token>/, { 'x-svc-auth-token': token }],
    [/is the shorter one/, { 'x-svc-api-key': authToken, 'x-svc-auth-token': apiKey }],
    [/x-api-key is not read/, { 'x-api-key': apiKey }],
    [/those of a workspace/, server.workspaceHeaders],
    [/those of an API key/, server.keyHeaders, workspace],
    [
      /from headers, not from the URL or the body/,
      {},
      `${users}?${new URLSearchParams({ apiKey, authToken })}`,
    ],
  ])(
    'that are missing or wrong get an answer that names what is needed: %s',
    async (message, headers, path = users) => {
      const failure = await errorOf(path, { organizationId: 'acme' }, headers);
      expect(failure.message).toMatch(message);
    },
  );

  it('in the body or missing in a subscription are answered with the right place for them', async () => {
    const failure = await errorOf(users, { organizationId: 'acme', apiKey, authToken }, {});
    expect(failure.message).toContain('from headers, not from the URL or the body');
    const stream = '/trpc/comments.changes?input=%7B%22json%22%3A%7B%7D%7D';
    const response = await fetch(server.url + stream);
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
  ])('at %s gets the name of the procedure', async (path, hint) => {
    const { status, message } = await send(path);
    expect(status).toBe(404);
    expect(message).toContain(hint);
  });

  it('that uses the wrong method, plain JSON, or POST for a subscription gets the right form', async () => {
    const headers = { ...server.keyHeaders, 'content-type': 'application/json' };
    const read = await send('/trpc/users.add?input=%7B%7D', { headers });
    expect(read).toEqual({ status: 405, message: expect.stringContaining('mutate') });
    const body = JSON.stringify({ organizationId: 'acme' });
    const write = async (name: string) => {
      const request = { method: 'POST', headers, body };
      return (await fetch(`${server.url}/trpc/${name}`, request)).text();
    };
    expect(await write('users.add')).toContain('{\\"json\\": {…}}');
    expect(await write('comments.changes')).toContain('a subscription with subscribe (GET)');
  });
});
