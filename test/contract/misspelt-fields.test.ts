import { describe, expect, it } from 'vitest';
import { definitionOf, proceduresOf } from '../../src/api/trpc-internals.ts';
import { appRouter } from '../../src/features/index.ts';
import { organize } from '../support/directory.ts';
import { type InputField, inputFields } from '../support/input-fields.ts';
import { inputSchemaOf, type JsonSchema } from '../support/input-schema.ts';
import { NOTIFICATION } from '../support/notifications.ts';
import { eachOperation, headersFor, restFailure, trpcFailure } from '../support/operations.ts';
import { processorMsOf } from '../support/processor-time.ts';
import { startTestServer } from '../support/server.ts';

/** Checks for every operation that misspelt field names are refused at any depth. */
const server = await startTestServer();

const MIN_LETTERS = 6;
const STRICT = ['auth.revokeTokens', 'events.get', 'userData.delete'];

const other = (letter: string) => (letter === 'q' ? 'x' : 'q');
const inWords = (separator: string) => (name: string) => {
  const words = name.replace(/(?<=.)[A-Z]/g, (letter) => separator + letter.toLowerCase());
  return words === name ? name.slice(0, 2) + separator + name.slice(2) : words;
};

type Misspell = (name: string) => string;

const SAME_LETTERS: Misspell[] = [
  inWords('_'),
  inWords('-'),
  inWords('.'),
  inWords(' '),
  (name) => name.toUpperCase(),
  (name) => inWords('_')(name).toUpperCase(),
];
const SLIPS: Misspell[] = [
  (name) => `${name.slice(0, 3)}q${name.slice(3)}`,
  (name) => name.slice(0, 2) + name.slice(3),
  (name) => name.slice(0, 3) + other(name[3] ?? '') + name.slice(4),
  swapped,
  (name) => inWords('_')(swapped(name)),
];

/** Swaps the first two neighbours that differ. */
function swapped(name: string): string {
  const at = [...name].findIndex((letter, index) => letter !== name[index + 1]);
  return name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
}

interface Hint {
  path: string;
  message: string;
}

const hint = (path: string, name: string): Hint => ({
  path,
  message: `is not known here. Did you mean ${name}?`,
});

/** An object within an input. */
interface InputObject {
  path: string;
  names: Set<string>;
  /** The smallest input that has this object. */
  inputWith(object: object): unknown;
}

/** Every object of an input whose fields have names. */
function objectsOf(
  schema: JsonSchema,
  path = '',
  inputWith = (value: unknown) => value,
  found = new Map<string, InputObject>(),
): InputObject[] {
  const { anyOf = [], allOf = [], items, propertyNames, additionalProperties } = schema;
  for (const option of [...anyOf, ...allOf]) objectsOf(option, path, inputWith, found);
  if (items) objectsOf(items, `${path}[0]`, (value) => inputWith([value]), found);
  const inside = (key: string) => (path === '' ? key : `${path}.${key}`);
  if (propertyNames && typeof additionalProperties === 'object') {
    objectsOf(additionalProperties, inside('key'), (key) => inputWith({ key }), found);
  }
  if (propertyNames || !schema.properties) return [...found.values()];
  const names = found.get(path)?.names ?? new Set();
  found.set(path, { path, names, inputWith });
  for (const [name, field] of Object.entries(schema.properties)) {
    names.add(name);
    objectsOf(field, inside(name), (value) => inputWith({ [name]: value }), found);
  }
  return [...found.values()];
}

const inputsOf = proceduresOf(appRouter).flatMap(([name, procedure]) => {
  const [input] = definitionOf(procedure).inputs;
  return input ? [{ name, objects: objectsOf(inputSchemaOf(input)) }] : [];
});

const issuesOf = (name: string, input: unknown): Hint[] => {
  try {
    server.app.services.gate.spelling.check(name, input);
    return [];
  } catch (failure) {
    return (failure as { details: { issues: Hint[] } }).details.issues;
  }
};

it('a misspelt name is refused in every object that any operation or subscription takes', async () => {
  const resources = new Set<string>();
  for (const { name, objects } of inputsOf) {
    for (const { path, names, inputWith } of objects) {
      resources.add(path);
      const long = [...names].filter((known) => known.length >= MIN_LETTERS);
      for (const misspell of [...SAME_LETTERS, ...SLIPS]) {
        const compared = SAME_LETTERS.includes(misspell) ? [...names] : long;
        const wrong = compared
          .map((known) => ({ known, near: misspell(known) }))
          .filter(({ near }) => !names.has(near));
        const input = inputWith(Object.fromEntries(wrong.map(({ near }) => [near, 'x'])));
        const hints = wrong.map(({ near, known }) => hint(path ? `${path}.${near}` : near, known));
        expect(issuesOf(name, input), name).toEqual(expect.arrayContaining(hints));
      }
    }
  }
  // The walk reaches resources in lists, in objects, and in maps.
  const some = ['users[0]', 'commentAnnotations[0].commentData[0].from', 'notifyUsers[0]'];
  expect([...resources]).toEqual(expect.arrayContaining(some));
});

it('a misspelt name is accepted beside the known one, except in operations that refuse all unknown fields', async () => {
  for (const { name, objects } of inputsOf) {
    for (const { names, inputWith } of objects) {
      const known = [...names].map((field) => [field, 'x']);
      const near = [...names].map(inWords('_')).filter((field) => !names.has(field));
      const both = Object.fromEntries([...known, ...near.map((field) => [field, 'x'])]);
      const refused = issuesOf(name, inputWith(both)).map(({ path }) => path);
      expect(refused.filter((path) => near.includes(path))).toEqual(
        STRICT.includes(name) ? near : [],
      );
    }
  }
});

const nameOf = ({ path }: InputField) => path.replace(/^.*\./, '');
/** Each operation with the last of its fields that has a long name. */
const withLongFields = eachOperation.flatMap(({ name, operation }) => {
  const field = inputFields(operation).findLast((one) => nameOf(one).length >= MIN_LETTERS);
  return field ? [{ name, operation, field }] : [];
});

it.each(withLongFields)(
  '$name refuses a misspelt name over REST and tRPC alike',
  async ({ operation, field }) => {
    const { path, example } = operation.meta;
    const known = nameOf(field);
    const near = inWords('_')(swapped(known));
    const input = field.renamed(example.request, near);
    const headers = headersFor(server, operation);
    const overRest = restFailure(await server.call(path, input, headers));
    expect(overRest).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
    const nearPath = field.path.slice(0, -known.length) + near;
    expect(overRest?.details.issues).toContainEqual(hint(nearPath, known));
    expect(await trpcFailure(server.url, operation, input, headers)).toEqual(overRest);
  },
);

it.each([
  ['/v2/events/get', 'aftr'],
  ['/v2/events/get', 'cursor'],
  ['/v2/users/data/delete', 'organisations'],
  ['/v2/auth/revoke_tokens', 'organizationIds'],
])('%s takes no unknown field such as %s', async (path, unknown) => {
  const needed = path !== '/v2/events/get' && { userIds: ['ada'] };
  const { status, body } = await server.call(path, { ...needed, [unknown]: ['acme'] });
  const message = expect.stringMatching(/^is not known here\. (Did you|The known fields are)/);
  expect([status, body.error.details.issues]).toEqual([400, [{ path: unknown, message }]]);
});

it('the visibilityConfig of answers is refused in inputs, where it would be ignored', () => {
  const answered = { visibilityConfig: { type: 'restricted' } };
  expect(issuesOf('commentAnnotations.add', { commentAnnotations: [answered] })).toContainEqual(
    hint('commentAnnotations[0].visibilityConfig', 'visibility'),
  );
  expect(issuesOf('commentAnnotations.update', { updatedData: answered })).toContainEqual(
    hint('updatedData.visibilityConfig', 'visibility'),
  );
});

describe('a field name that resembles a known one', () => {
  const add = (documents: object[], organizationId = 'acme') => {
    const directory = { organizationId, createOrganization: true, documents };
    return server.call('/v2/organizations/documents/add', directory);
  };

  it('refuses the whole batch, with all other problems', async () => {
    const documents = [{ documentId: 'fine' }, { documentId: 'open', accessTpye: 'restricted' }];
    const { status, body } = await add(documents, 'refused');
    expect(status).toBe(400);
    expect(body.error.message).toBe(
      'documents[1].accessTpye: is not known here. Did you mean accessType? (operation documents.add)',
    );
    const organizationIds = ['refused'];
    expect(await server.ok('/v2/organizations/get', { organizationIds })).toEqual([]);
    const { issues } = (await add([{ documntId: 'x', documentName: 5 }])).body.error.details;
    const fields = ['documntId', 'documentId', 'documentName'].map(
      (name) => `documents[0].${name}`,
    );
    expect(issues.map((issue: Hint) => issue.path)).toEqual(expect.arrayContaining(fields));
  });

  it('is accepted if it resembles none, is short, or differs by two letters', async () => {
    const own = { nmae: 'n', color: 'red', acessTpye: 'two', documentNamexx: 'two' };
    expect((await add([{ documentId: 'own', ...own }])).status).toBe(200);
    const users = [{ userId: 'ada', nmae: 'Ada', emial: 'a', picture: 'p', accessory: true }];
    await server.ok('/v1/users/add', { organizationId: 'acme', users });
    expect(await server.ok('/v2/users/get', { organizationId: 'acme' })).toMatchObject(users);
  });

  it('is accepted in free content: metadata, locations, contexts, documents', async () => {
    const place = { organizationId: 'free', documentId: 'own' };
    await organize(server, 'free', { documents: ['own'] });
    const near = { documntId: 1, organizationIdd: 2, comentText: 3, accessTpye: 4, userIdd: 5 };
    const comment = { from: { userId: 'ada' }, attachments: [near], taggedUserContacts: [] };
    const annotation = { location: near, commentData: [comment] };
    const headline = { userIdd: 'x', actionUsr: { userId: 'ada' } };
    for (const [path, data] of [
      ['commentannotations/add', { commentAnnotations: [annotation] }],
      ['crdt/add', { editorId: 'e', type: 'map', data: near }],
      ['organizations/documents/update', { documents: [{ documentId: 'own', settings: near }] }],
      ['notifications/add', { ...NOTIFICATION, displayHeadlineMessageTemplateData: headline }],
    ] as const) {
      await server.ok(`/v2/${path}`, { ...place, ...data });
    }
  });

  it('is checked in bounded time, however many unknown names there are', () => {
    const { spelling } = server.app.services.gate;
    // A body may have 40,000 fields.
    const names = Array.from({ length: 20_000 }, (_, at) => `organizatioN${at}`);
    const many = Object.fromEntries(names.map((name) => [name, 1]));
    const input = { organizationId: 'acme', ...many, documents: [many] };
    expect(processorMsOf(() => spelling.check('documents.add', input))).toBeLessThan(250);
    const near = Array.from({ length: 38 }, (_, at) => [`accessRo${at.toString(36)}x`, 1]);
    const users = Array(1_000).fill({ ...Object.fromEntries(near), userId: 'ada' });
    const check = () => spelling.check('users.update', { organizationId: 'acme', users });
    expect(processorMsOf(() => expect(check).toThrow('is not known here'))).toBeLessThan(250);
  });
});
