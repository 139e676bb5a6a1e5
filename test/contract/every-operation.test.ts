import { afterAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/server/rest.ts';
import type { Headers } from '../support/answers.ts';
import {
  acceptsNull,
  type InputField,
  inputFields,
  isId,
  wrongType,
} from '../support/input-fields.ts';
import {
  callTrpc,
  eachOperation,
  headersFor,
  restFailure,
  type SeenFailure,
  trpcFailure,
} from '../support/operations.ts';
import { createTenant, post, startTestServer } from '../support/server.ts';
import { createWorkspace } from '../support/workspaces.ts';

/** Checks for every operation of the router, over REST and tRPC. */

const server = await startTestServer();
/** The server of calls that may succeed, and then change what other calls find. */
const changing = await startTestServer();
const otherKey = await createTenant(server);
const otherWorkspace = await createWorkspace(server);
const { token: userToken } = await server.ok('/v2/auth/generate_token', { userId: 'somebody' });

/** Operations of one level check their credentials in one place, also those that take user tokens. */
const levelOf = ({ meta }: Operation) => `${meta.level} ${meta.userToken}`;
const ofEachLevel = [
  ...new Map(eachOperation.toReversed().map((one) => [levelOf(one.operation), one])).values(),
];

describe.each(eachOperation)('$name', ({ name, operation }) => {
  const { path, example } = operation.meta;
  const rest = async (data: unknown, headers = headersFor(server, operation)) =>
    restFailure(await server.call(path, data, headers));
  const trpc = (input: unknown, headers = headersFor(server, operation)) =>
    trpcFailure(server.url, operation, input, headers);
  /** Both call the same procedure, so one operation of each level repeats everything over tRPC. */
  const isOneOfLevel = ofEachLevel.some((other) => other.name === name);
  const isRepeatedOverTrpc = (at: number) => at === 0 || isOneOfLevel;
  const raw = async (body: string, headers: Headers = headersFor(server, operation)) =>
    restFailure(await post(server.url + path, body, headers));

  it('is denied without the credentials of its level, over REST and tRPC', async () => {
    const wrong = { ...wrongLevels(operation), ...(isOneOfLevel && wrongTokens(operation)) };
    for (const [at, [what, headers]] of Object.entries(wrong).entries()) {
      const overRest = await rest(example.request, headers);
      expect(overRest, what).toMatchObject({ http: 403, status: 'PERMISSION_DENIED' });
      if (isRepeatedOverTrpc(at))
        expect(await trpc(example.request, headers), what).toEqual(overRest);
    }
  });

  it('names each field that is missing, null or of a wrong type', async () => {
    for (const [at, field] of inputFields(operation).entries()) {
      for (const [what, input] of spoiled(field)) {
        const overRest = await rest(input);
        expectIssue(overRest, field.path, what);
        if (isRepeatedOverTrpc(at)) expect(await trpc(input), field.path).toEqual(overRest);
      }
    }
  });

  it('refuses ids that are empty, too long or not printable, and too many ids', async () => {
    const all = ['', '__proto__', 'x'.repeat(257), 'a\u0000', 'a\nb', 'a\u0085', '\ud800'];
    const badIds = isOneOfLevel ? all : all.slice(0, 2);
    for (const field of inputFields(operation)) {
      if (isId(field.schema)) {
        for (const bad of badIds) expectIssue(await rest(field.with(bad)), field.path, bad);
      }
      if (field.schema.items && isId(field.schema.items)) {
        const most = field.schema.maxItems ?? 1_000;
        const tooMany = Array.from({ length: most + 1 }, (_, index) => `id-${index}`);
        expectIssue(await rest(field.with(tooMany)), field.path, 'too many');
        for (const bad of badIds)
          expectIssue(await rest(field.with([bad])), `${field.path}[0]`, bad);
      }
    }
  });

  it('refuses forged and truncated page tokens', async () => {
    for (const token of inputFields(operation).filter(({ path }) => path === 'pageToken')) {
      for (const forged of ['', 'x', 'x.y', 'WyJhIl0.', '\u0000', 'W10'.repeat(100)]) {
        expectIssue(await rest(token.with(forged)), 'pageToken', forged);
      }
    }
  });

  it('checks JSON before credentials, and credentials before data', async () => {
    expect((await raw('{', {}))?.status).toBe('INVALID_ARGUMENT');
    expect((await raw('{}', {}))?.status).toBe('PERMISSION_DENIED');
    expect((await rest({ organizationId: 5 }, {}))?.status).toBe('PERMISSION_DENIED');
  });
});

afterAll(async () => {
  const events = await server.call('/v2/events/get', {});
  expect(events.body.result.data.events, 'refused calls change nothing').toEqual([]);
  const keys = await server.call('/v2/workspace/apikeys/get', {}, server.workspaceHeaders);
  expect(keys.body.result.data).toHaveLength(2);
});

/** Bodies are read before any schema runs, in one place, so one operation of each level is enough. */
describe.each(ofEachLevel)('the body of $name', ({ operation }) => {
  const { path, example } = operation.meta;
  const trpc = (input: unknown) =>
    trpcFailure(server.url, operation, input, headersFor(server, operation));
  const raw = async (body: string, headers: Headers = headersFor(server, operation)) =>
    restFailure(await post(server.url + path, body, headers));

  it('accepts JSON only', async () => {
    const body = JSON.stringify({ data: example.request });
    const bytes = new TextEncoder().encode(body);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined]) {
      const headers = { ...headersFor(server, operation), ...(type && { 'content-type': type }) };
      const response = await fetch(server.url + path, { method: 'POST', headers, body: bytes });
      expect(response.status, type).toBe(415);
      expect(await response.json()).toMatchObject({
        error: { status: 'INVALID_ARGUMENT', code: 415 },
      });
    }
    // The body is parsed as JSON before the credentials are found to be missing.
    const accepted = await raw(body, { 'content-type': 'application/json; charset=utf-8' });
    expect(accepted?.status).toBe('PERMISSION_DENIED');
  });

  it.each([
    ['malformed JSON', '{"data":'],
    ['an empty body', ''],
    ['an array', '[]'],
    ['a string', '"data"'],
    ['a number', '5'],
    ['null', 'null'],
    ['no data', '{}'],
    ['data that is null', '{"data":null}'],
    ['data that is an array', '{"data":[]}'],
    ['data that is a string', '{"data":"{}"}'],
    ['depth without end', `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['depth in a field of data', `{"data":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`],
  ])('refuses %s', async (_what, body) => {
    const failure = await raw(body);
    if (body.includes('"a"')) expect(failure?.status).not.toBe('INTERNAL');
    else expect(failure).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
  });

  it('refuses invalid UTF-8', async () => {
    const headers = { 'content-type': 'application/json', ...headersFor(server, operation) };
    const body = Buffer.concat([
      Buffer.from('{"data":{"a":"'),
      Buffer.from([0xff]),
      Buffer.from('"}}'),
    ]);
    const response = await fetch(server.url + path, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect((await response.json()).error.status).toBe('INVALID_ARGUMENT');
  });

  it('refuses keys that could reach a prototype, also when escaped', async () => {
    for (const key of ['__proto__', '\\u005f_proto\\u005F_']) {
      const body = `{"data":{"${key}":{"polluted":true}}}`;
      expect(await raw(body)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
    }
    for (const key of ['constructor', 'c\\u006fnstructor']) {
      const body = `{"data":{"${key}":{"prototype":{"polluted":true}}}}`;
      expect(await raw(body)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it('refuses over tRPC what JSON cannot express', async () => {
    const strange = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      new Date(0),
      new Map(),
      new Set(),
      5n,
      /x/,
      new URL('http://example.com'),
      new Error('x'),
    ];
    const refused = { http: 400, status: 'INVALID_ARGUMENT' };
    for (const value of strange) {
      expect(await trpc(value), String(value)).toMatchObject(refused);
      expect(await trpc({ ...example.request, other: [value] })).toMatchObject(refused);
    }
  });
});

/** Operations that do more when a field is misspelt refuse unknown fields, as misspelt-fields.test.ts tests. */
const STRICT = ['auth.revokeTokens', 'events.get', 'userData.delete'];

describe.each(eachOperation.filter(({ name }) => !STRICT.includes(name)))(
  '$name',
  ({ operation }) => {
    it('ignores unknown fields of data', async () => {
      const headers = headersFor(changing, operation);
      const input = { ...operation.meta.example.request, unknownField: { a: [1] } };
      const failure = restFailure(await changing.call(operation.meta.path, input, headers));
      expect(failure?.details?.issues).toBeUndefined();
      // Some operations answer so when they skip what exists already.
      const mayBeInternal = operation.meta.errors?.includes('INTERNAL');
      if (!mayBeInternal) expect(failure?.status).not.toBe('INTERNAL');
      await callTrpc(changing.url, operation, input, headers).catch((error) => {
        expect(error.data.details?.issues).toBeUndefined();
      });
    });
  },
);

/** No credentials, and those that are right for other operations. */
function wrongLevels({ meta }: Operation): Record<string, Headers> {
  const levels = {
    admin: server.adminHeaders,
    workspace: server.workspaceHeaders,
    apiKey: server.keyHeaders,
  };
  const { [meta.level]: _own, ...others } = levels;
  return {
    none: {},
    ...(!meta.userToken && {
      'a user token, where none is taken': { authorization: `Bearer ${userToken}` },
    }),
    ...others,
  };
}

/** Credentials of an operation's level that are insufficient or wrong. */
function wrongTokens(operation: Operation): Record<string, Headers> {
  const right = headersFor(server, operation);
  const [first, second] = Object.entries(right);
  const half = second && {
    'only the first header': Object.fromEntries([first ?? []]),
    'only the second header': Object.fromEntries([second]),
    'the second header empty': { ...right, [second[0]]: '' },
  };
  const [tokenHeader = '', token = ''] = Object.entries(right).at(-1) ?? [];
  const foreign = { ...otherKey, ...otherWorkspace }[tokenHeader];
  return {
    ...half,
    'a wrong token': { ...right, [tokenHeader]: 'wrong' },
    'a token that is nearly right': { ...right, [tokenHeader]: `${token}x` },
    'a token in another case': { ...right, [tokenHeader]: token.toUpperCase() },
    'a user token that is none': { authorization: 'Bearer e30.e30.e30' },
    ...(foreign && { "another's token": { ...right, [tokenHeader]: foreign } }),
  };
}

/** The invalid values of a field. */
function spoiled(field: InputField): Array<[string, object]> {
  const wrong = wrongType(field);
  return [
    ...(field.required ? [['missing', field.without()] as [string, object]] : []),
    ...(acceptsNull(field) ? [] : [['null', field.with(null)] as [string, object]]),
    ...(wrong === undefined ? [] : [['of a wrong type', field.with(wrong)] as [string, object]]),
  ];
}

function expectIssue(failure: SeenFailure | undefined, path: string, what: string): void {
  expect(failure, `${path}: ${what}`).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
  const issues: Array<{ path: string; message: string }> = failure?.details.issues;
  expect(
    issues.map((issue) => issue.path),
    what,
  ).toContain(path);
  expect(failure?.message.startsWith(`${issues[0]?.path}: ${issues[0]?.message}`)).toBe(true);
}
