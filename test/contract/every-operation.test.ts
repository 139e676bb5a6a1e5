import { afterAll, describe, expect, it } from 'vitest';
import { toAppError } from '../../src/api/responses/failures.ts';
import { definitionOf } from '../../src/api/trpc-internals.ts';
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
  const isOneOfLevel = ofEachLevel.some((other) => other.name === name);
  /**
   * All procedures pass their input to their schema in one place, so one operation of each level gets
   * every input over REST and tRPC, and the others those about their first field.
   */
  const isSent = (at: number) => at === 0 || isOneOfLevel;
  const [schema] = definitionOf(operation.procedure).inputs;
  const failureOfSchema = (input: object) => toAppError(schema?.safeParse(input).error);
  const raw = async (body: string, headers: Headers = headersFor(server, operation)) =>
    restFailure(await post(server.url + path, body, headers));

  it('is denied without the credentials of its level, over REST and tRPC', async () => {
    const wrong = { ...wrongLevels(operation), ...(isOneOfLevel && wrongTokens(operation)) };
    for (const [at, [what, headers]] of Object.entries(wrong).entries()) {
      const overRest = await rest(example.request, headers);
      expect(overRest, what).toMatchObject({ http: 403, status: 'PERMISSION_DENIED' });
      if (isSent(at)) expect(await trpc(example.request, headers), what).toEqual(overRest);
    }
  });

  it('names each field that is missing, null or of a wrong type', async () => {
    for (const [at, field] of inputFields(operation).entries()) {
      for (const [what, input] of spoiled(field)) {
        const failure = isSent(at) ? await rest(input) : failureOfSchema(input);
        expectIssue(failure, field.path, what);
        if (isSent(at)) expect(await trpc(input), field.path).toEqual(failure);
      }
    }
  });

  it('refuses ids that are empty, too long or not printable, and too many ids', async () => {
    const badIds = ['', '__proto__', 'x'.repeat(257), 'a\u0000', 'a\nb', 'a\u0085', '\ud800'];
    for (const [at, field] of inputFields(operation).entries()) {
      const expectRefused = async (value: unknown, path: string) => {
        const input = field.with(value);
        expectIssue(isSent(at) ? await rest(input) : failureOfSchema(input), path, `${value}`);
      };
      if (isId(field.schema)) for (const bad of badIds) await expectRefused(bad, field.path);
      if (field.schema.items && isId(field.schema.items)) {
        const tooMany = Array(1 + (field.schema.maxItems ?? 1_000)).fill('id');
        await expectRefused(tooMany, field.path);
        for (const bad of badIds) await expectRefused([bad], `${field.path}[0]`);
      }
    }
  });

  it('refuses forged page tokens, and checks JSON before credentials before data', async () => {
    for (const token of inputFields(operation).filter(({ path }) => path === 'pageToken')) {
      for (const forged of ['', 'WyJhIl0.', 'W10'.repeat(100)]) {
        expectIssue(await rest(token.with(forged)), 'pageToken', forged);
      }
    }
    expect((await raw('{', {}))?.status).toBe('INVALID_ARGUMENT');
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
  const own = headersFor(server, operation);
  const trpc = (input: unknown) => trpcFailure(server.url, operation, input, own);
  const raw = async (body: string, headers = own) =>
    restFailure(await post(server.url + path, body, headers));

  it('accepts JSON only', async () => {
    const body = JSON.stringify({ data: example.request });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      expect(await raw(body, { ...own, 'content-type': type })).toMatchObject({
        http: 415,
        status: 'INVALID_ARGUMENT',
      });
    }
    const bytes = new TextEncoder().encode(body);
    const untyped = await fetch(server.url + path, { method: 'POST', headers: own, body: bytes });
    expect(untyped.status).toBe(415);
    // The body is parsed as JSON before the credentials are found to be missing.
    const accepted = await raw(body, { 'content-type': 'application/json; charset=utf-8' });
    expect(accepted?.status).toBe('PERMISSION_DENIED');
  });

  it.each([
    ['malformed JSON', '{"data":'],
    ['an empty body', ''],
    ['an array', '[]'],
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
    const headers = { 'content-type': 'application/json', ...own };
    const body = Buffer.from('{"data":{"a":"\xff"}}', 'latin1');
    const response = await fetch(server.url + path, { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect((await response.json()).error.status).toBe('INVALID_ARGUMENT');
  });

  it('refuses keys that could reach a prototype, also when escaped', async () => {
    for (const field of [
      '"__proto__":{"polluted":true}',
      '"\\u005f_proto\\u005F_":{"polluted":true}',
      '"constructor":{"prototype":{"polluted":true}}',
      '"c\\u006fnstructor":{"prototype":{"polluted":true}}',
    ]) {
      const failure = await raw(`{"data":{${field}}}`);
      expect(failure, field).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it('refuses over tRPC what JSON cannot express', async () => {
    const special = [Number.NaN, Number.POSITIVE_INFINITY, 5n, /x/];
    const url = new URL('http://example.com');
    const strange = [...special, new Date(0), new Map(), new Set(), url, new Error('x')];
    const refused = { http: 400, status: 'INVALID_ARGUMENT' };
    for (const value of strange) {
      expect(await trpc(value), String(value)).toMatchObject(refused);
      expect(await trpc({ ...example.request, other: [value] })).toMatchObject(refused);
    }
  });
});

/** Operations that do more when a field is misspelt refuse unknown fields, as misspelt-fields.test.ts tests. */
const STRICT = ['auth.revokeTokens', 'events.get', 'userData.delete'];

it.each(eachOperation.filter(({ name }) => !STRICT.includes(name)))(
  '$name ignores unknown fields of data',
  async ({ operation }) => {
    const headers = headersFor(changing, operation);
    const input = { ...operation.meta.example.request, unknownField: { a: [1] } };
    const failure = restFailure(await changing.call(operation.meta.path, input, headers));
    expect(failure?.details?.issues).toBeUndefined();
    // Some operations answer so when they skip what exists already.
    const mayBeInternal = operation.meta.errors?.includes('INTERNAL');
    if (!mayBeInternal) expect(failure?.status).not.toBe('INTERNAL');
    const typed = await trpcFailure(changing.url, operation, input, headers);
    expect(typed?.details?.issues).toBeUndefined();
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
  const [tokenHeader = '', token = ''] = second ?? first ?? [];
  const foreign = { ...otherKey, ...otherWorkspace }[tokenHeader];
  return {
    ...(first &&
      second && {
        'only the first header': Object.fromEntries([first]),
        'only the second header': Object.fromEntries([second]),
        'the second header empty': { ...right, [tokenHeader]: '' },
      }),
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
  const all: Array<[string, object] | false> = [
    field.required && ['missing', field.without()],
    !acceptsNull(field) && ['null', field.with(null)],
    wrong !== undefined && ['of a wrong type', field.with(wrong)],
  ];
  return all.filter((one) => one !== false);
}

function expectIssue(failure: Partial<SeenFailure> = {}, path: string, what: string): void {
  const issues: Array<{ path: string; message: string }> = failure.details?.issues ?? [];
  const paths = issues.map((issue) => issue.path);
  expect([failure.http, failure.status, paths], `${path}: ${what}`).toEqual([
    400,
    'INVALID_ARGUMENT',
    expect.arrayContaining([path]),
  ]);
  expect(failure.message?.startsWith(`${paths[0]}: ${issues[0]?.message}`)).toBe(true);
}
