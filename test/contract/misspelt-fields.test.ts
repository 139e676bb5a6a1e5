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
      for (const misspell of [...SAME_LETTERS, ...SLIPS]) {
        const compared = [...names].filter(
          (known) =>
            !names.has(misspell(known)) &&
            (SAME_LETTERS.includes(misspell) || known.length >= MIN_LETTERS),
        );
        const wrong = Object.fromEntries(compared.map((known) => [misspell(known), 'x']));
        const hints = compared.map((known) =>
          hint(path ? `${path}.${misspell(known)}` : misspell(known), known),
        );
        const issues = issuesOf(name, inputWith(wrong));
        expect(issues, name).toEqual(expect.arrayContaining(hints));
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

const parentOf = (field: InputField) => field.path.replace(/[^.]+$/, '');
const nameOf = (field: InputField) => field.path.slice(parentOf(field).length);
/** Each operation with the fields of its deepest object, where it has fields with long names. */
const withDeepestFields = eachOperation.flatMap(({ name, operation }) => {
  const long = inputFields(operation).filter((field) => nameOf(field).length >= MIN_LETTERS);
  const deepest = [...Map.groupBy(long, parentOf).values()].at(-1);
  return deepest ? [{ name, operation, deepest }] : [];
});

it.each(withDeepestFields)(
  '$name refuses a misspelt name over REST and tRPC alike',
  async ({ operation, deepest }) => {
    const { path, example } = operation.meta;
    const misspell = (field: InputField) => inWords('_')(swapped(nameOf(field)));
    const input = deepest.reduce<object>(
      (data, field) => field.renamed(data, misspell(field)),
      example.request,
    );
    const headers = headersFor(server, operation);
    const overRest = restFailure(await server.call(path, input, headers));
    expect(overRest).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
    const hints = deepest.map((field) => hint(parentOf(field) + misspell(field), nameOf(field)));
    expect(overRest?.details.issues).toEqual(expect.arrayContaining(hints));
    expect(await trpcFailure(server.url, operation, input, headers)).toEqual(overRest);
  },
);

it.each([
  ['/v2/events/get', 'after_cursor'],
  ['/v2/events/get', 'afterCursor'],
  ['/v2/events/get', 'aftr'],
  ['/v2/events/get', 'cursor'],
  ['/v2/users/data/delete', 'organization_ids'],
  ['/v2/users/data/delete', 'organisations'],
  ['/v2/users/data/delete', 'orgIds'],
  ['/v2/auth/revoke_tokens', 'organizationIds'],
])('%s takes no unknown field such as %s', async (path, unknown) => {
  const needed = path !== '/v2/events/get' && { userIds: ['ada'] };
  const { status, body } = await server.call(path, { ...needed, [unknown]: ['acme'] });
  expect(status).toBe(400);
  expect(body.error.details.issues).toEqual([
    {
      path: unknown,
      message: expect.stringMatching(/^is not known here\. (Did you|The known fields are)/),
    },
  ]);
});

it.each([
  [
    'commentAnnotations.add',
    'commentAnnotations[0]',
    (it: object) => ({ commentAnnotations: [it] }),
  ],
  ['commentAnnotations.update', 'updatedData', (it: object) => ({ updatedData: it })],
])(
  '%s refuses the visibilityConfig of answers, which would be ignored',
  (name, path, inputWith) => {
    const input = inputWith({ visibilityConfig: { type: 'restricted' } });
    const expected = hint(`${path}.visibilityConfig`, 'visibility');
    expect(issuesOf(name, input)).toContainEqual(expected);
  },
);

describe('a field name that resembles a known one', () => {
  const add = (documents: object[]) =>
    server.call('/v2/organizations/documents/add', {
      organizationId: 'acme',
      createOrganization: true,
      documents,
    });

  it('refuses the whole batch', async () => {
    const documents = [{ documentId: 'fine' }, { documentId: 'open', accessTpye: 'restricted' }];
    const { status, body } = await add(documents);
    expect(status).toBe(400);
    expect(body.error.message).toBe(
      'documents[1].accessTpye: is not known here. Did you mean accessType? (operation documents.add)',
    );
    const query = { organizationId: 'acme', documentIds: ['fine', 'open'] };
    const found = await server.call('/v2/organizations/documents/get', query);
    expect(found.status === 400 || found.body.result.data.length === 0).toBe(true);
  });

  it('is listed with all other problems', async () => {
    const { body } = await add([{ documntId: 'x', documentName: 5 }]);
    expect(body.error.details.issues.map((issue: Hint) => issue.path)).toEqual(
      expect.arrayContaining([
        'documents[0].documntId',
        'documents[0].documentId',
        'documents[0].documentName',
      ]),
    );
  });

  it('is accepted if it resembles none, is short, or differs by two letters', async () => {
    const own = { nmae: 'n', color: 'red', acessTpye: 'two', documentNamexx: 'two' };
    const { status } = await add([{ documentId: 'own', ...own }]);
    expect(status).toBe(200);
    const users = [{ userId: 'ada', nmae: 'Ada', emial: 'a', photoURL: 'p', accessory: true }];
    const data = { organizationId: 'acme', users };
    expect((await server.call('/v1/users/add', data)).status).toBe(200);
    const found = await server.call('/v2/users/get', { organizationId: 'acme' });
    expect(found.body.result.data).toEqual([expect.objectContaining(users[0])]);
  });

  it('is accepted in free content: metadata, locations, contexts, documents', async () => {
    const place = {
      organizationId: await organize(server, 'acme', { documents: ['own'] }),
      documentId: 'own',
    };
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
  });
});
