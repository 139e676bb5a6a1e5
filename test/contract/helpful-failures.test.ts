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
const activity = '/v2/workspace/activityconfig/update';
const displayHeadlineMessageTemplateData = { who: { name: 'Ada' }, what: 5 };
/** An operation, data that it refuses, and the issue. */
const INVALID: Array<[path: string, data: object, issue: string]> = [
  [workspace, { maxProductionKeys: 1.5 }, 'maxProductionKeys must be a whole number'],
  [workspace, { maxProductionKeys: 'x' }, 'maxProductionKeys must be a number, not string'],
  [workspace, { maxProductionKeys: 2_000_000 }, 'maxProductionKeys must be at most 1000000'],
  ['/v2/auth/revoke_tokens', { userIds: [] }, 'userIds must not be empty'],
  [list, { pageSize: 0 }, 'pageSize must be more than 0'],
  [list, { organizationId: 'x'.repeat(257) }, 'organizationId must have at most 256 characters'],
  [list, { agentId: '\ud800' }, 'agentId must be well-formed Unicode without control characters'],
  ['/v2/crdt/update', {}, 'data is missing'],
  [list, { locationIds: [{}] }, 'locationIds[0] must be a string or a number, not object'],
  [
    notify,
    { displayHeadlineMessageTemplateData },
    'displayHeadlineMessageTemplateData.what must be a string or an object, not number',
  ],
  [
    mail,
    { emailServiceConfig: { fromEmail: null } },
    'emailServiceConfig.fromEmail must be an email address, or empty',
  ],
  [activity, { activityServiceConfig: { triggers: { '1': {} } } }, 'the name must begin with'],
  [mail, {}, ' The input must contain at least one of the fields useEmailService, emailService'],
];

it.each(INVALID)('%s of %j says what is wrong, and where: %s', async (path, data, issue) => {
  const headers = path === workspace ? server.adminHeaders : server.keyHeaders;
  const { issues } = (await errorOf(path, data, headers)).details;
  const texts = issues.map((each: Record<string, string>) => `${each.path} ${each.message}`);
  expect(texts).toContainEqual(expect.stringContaining(issue));
});

describe('a request to an operation', () => {
  const add = '/v1/users/add';
  const json = { 'content-type': 'application/json' };

  it.each<[body: string | undefined, type: Headers, message: RegExp]>([
    [undefined, {}, /POST only, not GET.*\{"data": \{…\}\}/],
    ['{"organizationId":"acme"}', json, /^data: is missing.*\{"data": \{…\}\}/],
    ['{"data":', json, /\{"data": \{…\}\}/],
    ['', json, /\{"data": \{…\}\}/],
    ['{"data":{}}', { 'content-type': 'text/plain' }, /application\/json/],
    ['{"data":{"__proto__":{}}}', json, /__proto__/],
  ])(
    'with the body %j and %o gets an answer with the right form and the name of the operation',
    async (body, type, message) => {
      const headers = { ...server.keyHeaders, ...type };
      const failure = await send(add, body === undefined ? {} : { method: 'POST', headers, body });
      expect(failure.message).toMatch(message);
      expect(failure.message).toContain('users.add');
    },
  );

  it('with a field beside data, or beside json in a typed client, gets an answer that names the field', async () => {
    for (const [path, body, hint] of [
      ['Data', { Data: {} }, 'Did you mean data?'],
      ['accessType', { data: {}, accessType: 'x' }, 'Fields of the input belong inside data'],
    ] as const) {
      const { error } = (await post(server.url + add, body, server.keyHeaders)).body;
      const message = `${path}: is not known here. ${hint} (operation users.add)`;
      expect(error).toMatchObject({ code: 400, message, details: { issues: [{ path }] } });
    }
    const input = { json: { organizationId: 'acme', users: [] }, users: [{ userId: 'ada' }] };
    const typed = `${server.url}/trpc/users.add`;
    const one = await post(typed, input, server.keyHeaders);
    const batch = await post(`${typed}?batch=1`, { 0: input }, server.keyHeaders);
    for (const { error } of [one.body, batch.body[0]]) {
      const named = { details: { issues: [{ path: 'users' }] } };
      expect(error.json.data).toMatchObject({ status: 'INVALID_ARGUMENT', ...named });
    }
  });

  it.each([
    ['/V1/Users/Add/', '/v1/users/add'],
    ['/v2/user/create', '/v1/users/add'],
    ['/api/v1/users/add', '/v1/users/add'],
    ['/users.add', '/v1/users/add'],
    ['/v2/comment-annotations/list', '/v2/commentannotations/get'],
    ['/v2/documents/get', '/v2/organizations/documents/get'],
  ])('at %s gets the path that was meant', async (path, meant) => {
    const { status, message } = await send(path);
    expect(status).toBe(404);
    expect(message).toContain(`Did you mean ${meant}?`);
  });

  it.each(['/', '/wp-login.php', '/get', '/%00', `/${'a'.repeat(4_000)}`])(
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
    const { message } = await errorOf('/v2/organizations/folders/add', {
      organizationId: 'acme',
      folders,
    });
    expect(message).toMatch(/^folders\[0\]\.accessType: must be one of "organizationPrivate", "/);
  });

  it('about something that does not exist gets the operation that adds it', async () => {
    const organizationId = await organize(server, 'here');
    const read = async (data: object) => (await errorOf('/v2/recordings/get', data)).message;
    expect(await read({ organizationId, documentId: 'none' })).toContain('documents.add');
    expect(await read({ organizationId: 'nowhere', documentId: 'none' })).toContain(
      'organizations.add',
    );
  });
});

describe('credentials', () => {
  const [users, workspace] = ['/v2/users/get', '/v2/workspace/get'];
  it.each<[message: RegExp, headers: Headers, path?: string]>([
    [/x-svc-api-key and x-svc-auth-token are missing.*\(operation users\.get\)/, {}],
    [/x-svc-admin-token/, {}, '/v2/workspace/create'],
    [
      /^Invalid API key or auth token\. \(operation users\.get\)$/,
      { 'x-svc-api-key': apiKey, 'x-svc-auth-token': 'wrong' },
    ],
    [/; x-svc-auth-token is missing/, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': '' }],
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
    ['/trpc/documents.list', 'Did you mean documents.get?'],
    ['/trpc/comment.changes', 'Did you mean comments.changes?'],
    ['/trpc/users/add', 'users.add'],
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
