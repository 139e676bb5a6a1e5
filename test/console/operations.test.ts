import { describe, expect, it } from 'vitest';
import type { Loose } from '../support/answers.ts';
import { callConsole, consoleFailure, credentialsOf, signInTo } from '../support/console.ts';
import { organize } from '../support/directory.ts';
import { connect } from '../support/editors.ts';
import { allEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { createTenant, startTestServer } from '../support/server.ts';

const ORGANIZATION = { organizationId: 'acme' };
const DOCUMENT = { ...ORGANIZATION, documentId: 'launch' };
const BODY = { ...DOCUMENT, editorId: 'body' };
const NOTE = { ...DOCUMENT, editorId: 'note' };

const session = (apiKey = server.quickstart.apiKey) => ({ url: server.url, cookie, apiKey });
const ask = (name: string, input: object, apiKey?: string) =>
  callConsole(session(apiKey), `console.${name}`, 'query', input);
const failureOf = (name: string, input: object, apiKey?: string) =>
  consoleFailure(session(apiKey), `console.${name}`, 'query', input);

const server = await startTestServer();
const call = (path: string, data: object) => server.ok(path, data);
const { owner } = credentialsOf(server);
const { cookie } = await signInTo(server.url, owner);
/** Another API key of the same workspace. */
const otherKey = (await createTenant(server))['x-svc-api-key'] ?? '';
await organize(server, 'acme', {
  folders: [
    { folderId: 'plans', folderName: 'Plans', accessType: 'restricted' },
    { folderId: 'spring', parentFolderId: 'plans' },
  ],
  documents: [{ documentId: 'launch', documentName: 'Launch of the pump', folderId: 'spring' }],
});
const users = [{ userId: 'ada', name: 'Ada Lovelace', accessRole: 'viewer' }, { userId: 'grace' }];
await call('/v1/users/add', { ...ORGANIZATION, users });
await call('/v2/organizations/add', { organizations: [{ organizationId: 'ac' }] });
for (const editor of [BODY, NOTE]) {
  await call('/v2/crdt/add', { ...editor, type: 'text', data: 'We launch in May.' });
}

describe('the search of the directory', () => {
  const idsFor = async (q: string, apiKey?: string) =>
    (await ask('directory.find', { q }, apiKey)).found.map(({ id }: Loose) => id);

  it('finds ids and names in capital and small letters, an exact id first, of its own key alone', async () => {
    expect(await idsFor('PUMP')).toEqual(['launch']);
    expect(await idsFor('lovelace')).toEqual(['ada']);
    expect(await idsFor('a')).toContain('acme');
    expect((await idsFor('ac'))[0]).toBe('ac');
    expect(await idsFor('a', otherKey)).toEqual([]);
  });

  it('finds only the entries of an organization, if one is named', async () => {
    const { found } = await ask('directory.find', { q: 'a', organizationId: 'ac' });
    expect(found.map(({ kind }: Loose) => kind)).toEqual(['organization']);
  });
});

it('a search shows the newest of many threads with the text', async () => {
  const ids = Array.from({ length: 9 }, (_, n) => `valve-${n}`);
  const commentData = [{ commentText: 'Replace the valve', from: { userId: 'ada' } }];
  const commentAnnotations = ids.map((annotationId) => ({ annotationId, commentData }));
  await call('/v2/commentannotations/add', { ...DOCUMENT, commentAnnotations });
  const updatedData = { priority: { id: 'P1' } };
  await call('/v2/commentannotations/update', {
    ...DOCUMENT,
    annotationIds: ['valve-8'],
    updatedData,
  });
  const { found } = await ask('search.find', { q: 'the VALVE' });
  expect(found).toHaveLength(8);
  expect(found[0]).toMatchObject({ kind: 'thread', id: 'valve-8', name: 'Replace the valve' });
});

it('an entry of the directory is a document with the folders above it, or a user with all roles', async () => {
  const { path } = await ask('directory.resourcePath', DOCUMENT);
  expect(path).toEqual([
    { type: 'organization', id: 'acme', name: 'acme' },
    { type: 'folder', id: 'plans', name: 'Plans' },
    { type: 'folder', id: 'spring', name: 'spring' },
    { type: 'document', id: 'launch', name: 'Launch of the pump' },
  ]);
  const { name, grants } = await ask('directory.user', { userId: 'ada' });
  expect(name).toBe('Ada Lovelace');
  expect(grants).toMatchObject([{ organizationId: 'acme', accessRole: 'viewer' }]);
  const user = await failureOf('directory.user', { userId: 'ada' }, otherKey);
  const document = await failureOf('directory.resourcePath', DOCUMENT, otherKey);
  expect([user?.status, document?.status]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
});

describe('the preview of a change of roles', () => {
  const question = { ...DOCUMENT, userId: 'ada' };
  const explain = () => call('/v2/auth/permissions/explain', question);
  const tryOut = (act: 'add' | 'remove', resource: object, userId = 'ada') =>
    ask('access.whatIf', {
      ask: { ...question, userId },
      change: { act, userId, resource: { ...ORGANIZATION, ...resource } },
    });
  const folder = { type: 'folder', id: 'plans', accessRole: 'editor' };
  const change = {
    user: { userId: 'ada' },
    permissions: { resources: [{ ...ORGANIZATION, ...folder }] },
  };

  it('shows the access that the operation then brings, and changes nothing itself', async () => {
    const [before, events] = [await explain(), await allEvents(server)];
    const given = await tryOut('add', folder);
    expect(given.before).toEqual(before);
    expect(given.after.decision).toMatchObject({ accessRole: 'editor' });
    expect(await explain()).toEqual(before);
    expect(await allEvents(server)).toEqual(events);

    await call('/v2/auth/permissions/add', change);
    expect(await explain()).toEqual(given.after);
    const ended = await tryOut('remove', folder);
    expect(await explain()).toEqual(given.after);
    await call('/v2/auth/permissions/remove', change);
    expect(await explain()).toEqual(ended.after);
  });

  it('creates no user, and fails as the operation would', async () => {
    const { after } = await tryOut('add', folder, 'nobody');
    expect(after.decision.accessRole).toBe('editor');
    const user = await failureOf('directory.user', { userId: 'nobody' });
    expect(user?.status).toBe('NOT_FOUND');
    const resource = { ...ORGANIZATION, type: 'document', id: 'lost' };
    const change = { act: 'add', userId: 'ada', resource };
    const failure = await failureOf('access.whatIf', { ask: question, change });
    expect(failure?.status).toBe('INVALID_ARGUMENT');
  });
});

describe('live documents', () => {
  it('list the people who have them open, until they leave', async () => {
    const resources = [{ ...ORGANIZATION, type: 'document', id: 'launch' }];
    const person = { userId: 'grace', permissions: { resources } };
    const { token } = await call('/v2/auth/generate_token', person);
    const editor = connect({ url: server.url, name: 'acme/launch/body', token });
    const open = async (apiKey?: string) => (await ask('liveDocuments.list', {}, apiKey)).documents;
    await eventually(async () =>
      expect(await open()).toMatchObject([
        { ...DOCUMENT, documentName: 'Launch of the pump', people: [{ userId: 'grace' }] },
      ]),
    );
    expect(await open(otherKey)).toEqual([]);
    editor.text.insert(0, 'Draft: ');
    await editor.sent();
    const { people, editors } = await ask('liveDocuments.inspect', DOCUMENT);
    expect(people).toMatchObject([{ userId: 'grace' }]);
    const body = editors.find(({ editorId }: Loose) => editorId === 'body');
    expect(body).toMatchObject({ updatedBy: 'grace', clients: 1 });
    expect(body.edits[0]).toMatchObject({ userId: 'grace', version: body.version });
    editor.provider.destroy();
    await eventually(async () => expect(await open()).toEqual([]));
  });

  it('are listed with their last edit, and hidden from other keys', async () => {
    const { data } = await ask('liveDocuments.stored', {});
    const documentName = 'Launch of the pump';
    const editors = [BODY, NOTE].map((editor) =>
      expect.objectContaining({ ...editor, documentName }),
    );
    expect(data).toEqual(expect.arrayContaining(editors));
    expect((await ask('liveDocuments.stored', {}, otherKey)).data).toEqual([]);
    const hidden = await ask('liveDocuments.inspect', DOCUMENT, otherKey);
    expect(hidden.editors).toEqual([]);
  });

  it('show the changes between two versions, and since a version', async () => {
    const text = { ...NOTE, type: 'text' };
    const { versionId: from } = await call('/v2/crdt/versions/create', NOTE);
    await call('/v2/crdt/update', { ...text, data: 'We launch in June.' });
    const { versionId: to } = await call('/v2/crdt/versions/create', NOTE);
    await call('/v2/crdt/update', { ...text, data: 'We do not launch in June.' });
    const compare = async (versions: object) =>
      (await ask('liveDocuments.compare', { ...NOTE, ...versions })).parts;
    expect(await compare({ from, to })).toEqual([
      { kind: 'same', text: 'We launch in ' },
      { kind: 'removed', text: 'May' },
      { kind: 'added', text: 'June' },
      { kind: 'same', text: '.' },
    ]);
    const parts: Loose[] = await compare({ from });
    const textWithout = (kind: string) =>
      parts.map((part) => (part.kind === kind ? '' : part.text)).join('');
    expect(textWithout('added')).toBe('We launch in May.');
    expect(textWithout('removed')).toBe('We do not launch in June.');
    // Versions of another editor or another key are not found.
    for (const failure of [
      await failureOf('liveDocuments.compare', { ...BODY, from }),
      await failureOf('liveDocuments.compare', { ...NOTE, from }, otherKey),
    ]) {
      expect(failure?.status).toBe('NOT_FOUND');
    }
  });
});
