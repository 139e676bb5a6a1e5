import { beforeAll, describe, expect, it } from 'vitest';
import { type InputField, inputFields } from '../support/input-fields.ts';
import { eachOperation, headersFor, restFailure, trpcFailure } from '../support/operations.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** Checks for every operation that misspelt field names are refused at any depth. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});

const MIN_LETTERS = 6;

const other = (letter: string) => (letter === 'q' ? 'x' : 'q');
type Misspell = (name: string) => string;

const MISSPELLINGS: Array<[string, Misspell]> = [
  ['one letter more', (name) => `${name.slice(0, 3)}q${name.slice(3)}`],
  ['one letter less', (name) => name.slice(0, 2) + name.slice(3)],
  ['one letter other', (name) => name.slice(0, 3) + other(name[3] ?? '') + name.slice(4)],
  ['two neighbours swapped', swapped],
  ['other case', (name) => (name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase())],
];

/** Swaps the first two neighbours that differ. */
function swapped(name: string): string {
  const at = [...name].findIndex((letter, index) => letter !== name[index + 1]);
  return name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
}

const nameOf = ({ path }: InputField) => path.split('.').at(-1) ?? path;
const parentOf = ({ path }: InputField) => path.slice(0, -nameOf({ path } as InputField).length);

interface Hint {
  path: string;
  message: string;
}

const hintsFor = (fields: InputField[], misspell: Misspell): Hint[] =>
  fields.map((field) => ({
    path: parentOf(field) + misspell(nameOf(field)),
    message: `is not known here. Did you mean ${nameOf(field)}?`,
  }));

describe.each(eachOperation)('$name', ({ operation }) => {
  const { path, example } = operation.meta;
  const all = inputFields(operation);
  const known = new Set(all.map((field) => field.path));
  const long = all.filter((field) => nameOf(field).length >= MIN_LETTERS);
  /** Groups by parent object, because fields inside a misspelt one are not checked. */
  const groups = [...Map.groupBy(long, parentOf).values()];
  const headers = () => headersFor(server, operation);
  const call = async (data: object) => restFailure(await server.call(path, data, headers()));

  /** Leaves out fields whose misspelling is another known field. */
  const wrong = (group: InputField[], misspell: Misspell) =>
    group.filter((field) => !known.has(parentOf(field) + misspell(nameOf(field))));
  const renamed = (fields: InputField[], misspell: Misspell) =>
    fields.reduce<object>(
      (data, field) => field.renamed(data, misspell(nameOf(field))),
      example.request,
    );

  it.runIf(long.length > 0).each(MISSPELLINGS)('refuses %s', async (_what, misspell) => {
    for (const group of groups) {
      const fields = wrong(group, misspell);
      const check = server.app.services.spelling.check(operation.name, renamed(fields, misspell));
      const failure = await check.then(
        () => undefined,
        (error) => error,
      );
      expect(failure?.details?.issues).toEqual(expect.arrayContaining(hintsFor(fields, misspell)));
    }
  });

  it.runIf(long.length > 0)('refuses it over REST and tRPC alike', async () => {
    for (const group of groups) {
      const fields = wrong(group, swapped);
      const input = renamed(fields, swapped);
      const overRest = await call(input);
      expect(overRest).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
      expect(overRest?.details.issues).toEqual(expect.arrayContaining(hintsFor(fields, swapped)));
      expect(await trpcFailure(server.url, operation, input, headers())).toEqual(overRest);
    }
  });

  it.runIf(long.length > 0)('accepts unknown fields beside the known field', async () => {
    for (const group of groups) {
      const input = group.reduce(
        (data, field) => field.accompanied(data, swapped(nameOf(field))),
        example.request,
      );
      const failure = await call(input);
      const issues: Hint[] = failure?.details?.issues ?? [];
      const hinted = issues.filter(({ message }) => message.includes('Did you mean'));
      expect(hinted).toEqual([]);
    }
  });
});

describe('events.get', () => {
  it('refuses a cursor under another name than after, with which it would restart', async () => {
    const { body } = await server.call('/v2/events/get', { cursor: 'a-cursor' });
    expect(body.error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      details: {
        issues: [{ path: 'cursor', message: 'is not known here. Did you mean after?' }],
      },
    });
  });
});

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
    const place = { organizationId: 'acme', documentId: 'own' };
    const near = { documntId: 1, organizationIdd: 2, comentText: 3, accessTpye: 4, userIdd: 5 };
    const comment = {
      commentText: 'hello',
      from: { userId: 'ada' },
      attachments: [near],
      taggedUserContacts: [],
    };
    const annotation = { location: near, commentData: [comment] };
    const answers = [
      await server.call('/v2/commentannotations/add', {
        ...place,
        commentAnnotations: [annotation],
      }),
      await server.call('/v2/crdt/add', { ...place, editorId: 'e', type: 'map', data: near }),
      await server.call('/v2/organizations/documents/update', {
        organizationId: 'acme',
        documents: [{ documentId: 'own', settings: near }],
      }),
      await server.call('/v2/notifications/add', {
        ...place,
        actionUser: { userId: 'ada' },
        notifyUsers: [{ userId: 'ada' }],
        displayHeadlineMessageTemplate: 'Hello',
        displayHeadlineMessageTemplateData: { userIdd: 'x', actionUsr: { userId: 'ada' } },
        displayBodyMessage: 'Body',
        notificationId: 'n',
      }),
    ];
    expect(answers.map(({ body }) => body.error)).toEqual(answers.map(() => undefined));
  });

  it('is checked in bounded time, however many unknown names there are', async () => {
    const { spelling } = server.app.services;
    const names = Array.from({ length: 100_000 }, (_, at) => `organizatioN${at}`);
    const many = Object.fromEntries(names.map((name) => [name, 1]));
    const input = { organizationId: 'acme', ...many, documents: [many] };
    const before = process.cpuUsage();
    await expect(spelling.check('documents.add', input)).rejects.toThrow('more than 3,000 fields');
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(150);
  });
});
