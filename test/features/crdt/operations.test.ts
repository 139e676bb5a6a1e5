import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { presentedEditor } from '../../../src/features/crdt/schema.ts';
import { directoryOf } from '../../support/directory.ts';
import { makePlan, userToken } from '../../support/editors.ts';
import { eventually } from '../../support/eventually.ts';
import { testServer } from '../../support/server.ts';

const clock = { time: Date.now(), now: () => clock.time };

let count = 0;
let editor: { organizationId: string; documentId: string; editorId: string };
const server = testServer({}, { clock });
beforeAll(async () => {
  await makePlan(server);
});
beforeEach(() => {
  count++;
  editor = { organizationId: 'acme', documentId: 'plan', editorId: `body-${count}` };
});

const add = (data: unknown, type = 'text', more = {}, headers = server.keyHeaders) =>
  server.call('/v2/crdt/add', { ...editor, type, data, ...more }, headers);
const update = (data: unknown, type = 'text', more = {}, headers = server.keyHeaders) =>
  server.call('/v2/crdt/update', { ...editor, type, data, ...more }, headers);
const get = (more = {}, headers = server.keyHeaders) =>
  server.call('/v2/crdt/get', { ...editor, ...more }, headers);
const contentOf = async (more = {}) => (await get(more)).body.result.data[0];
const as = async (userId: string, accessRole?: 'viewer' | 'editor') => ({
  authorization: `Bearer ${await userToken(server, userId, accessRole && { accessRole })}`,
});

describe('crdt/add', () => {
  it('stores content of each type, and crdt/get returns it', async () => {
    const contents = { text: 'Hello', map: { a: { b: [1, null] } }, array: [{ id: 'x' }, 'y'] };
    for (const [type, data] of Object.entries(contents)) {
      editor.editorId = `${type}-${count}`;
      const { status, body } = await add(data, type);
      expect(status).toBe(200);
      expect(body.result).toEqual({ status: 'success', message: 'CRDT data added successfully.' });
      expect(await contentOf()).toEqual({
        id: editor.editorId,
        data,
        type,
        version: 1,
        lastUpdate: clock.time,
        lastUpdatedBy: null,
      });
    }
  });

  it('adds content once under concurrent requests', async () => {
    const answers = await Promise.all([add('one'), add('two'), add('three')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await add('four')).body.error.status).toBe('ALREADY_EXISTS');
  });
});

describe('crdt/update', () => {
  it('replaces the content, also under another content key', async () => {
    await add({ a: 1, b: [1, 2] }, 'map', { contentKey: 'state' });
    await update({ a: 1, b: [1, 2, 3] }, 'map', { contentKey: 'state' });
    expect((await contentOf()).data).toEqual({ a: 1, b: [1, 2, 3] });
    expect((await contentOf({ contentKey: 'state', type: 'map' })).data.b).toHaveLength(3);
  });

  it('refuses data of another type than declared or stored', async () => {
    await add('text');
    for (const [type, data] of [
      ['text', { a: 1 }],
      ['map', []],
      ['map', 'text'],
      ['array', {}],
      ['xml', '<p/>'],
      ['map', { is: 'stored as text' }],
    ] as const) {
      expect((await update(data, type)).body.error).toMatchObject({ status: 'INVALID_ARGUMENT' });
    }
    expect((await contentOf()).data).toBe('text');
    expect((await get({ type: 'map' })).body.error.status).toBe('INVALID_ARGUMENT');
  });

  it('accepts content above the limits of free JSON, with at most 64 levels', async () => {
    await add('');
    expect((await update('x'.repeat(200_000))).status).toBe(200);
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
    editor.editorId += '-deep';
    expect((await add(nested(64), 'map')).status).toBe(200);
    expect((await update(nested(65), 'map')).body.error.status).toBe('INVALID_ARGUMENT');
  });
});

describe('xml', () => {
  const update = (data: string, more = {}) =>
    server.call('/v2/crdt/update', { ...editor, type: 'xml', data, ...more });

  it('is stored in the root `default`, with several roots, marks and typed attributes', async () => {
    const data = '<h level="{2}">One <b>bold</b></h><p>Two &amp; three<br/></p>';
    expect((await add(data, 'xml')).status).toBe(200);
    expect(await contentOf()).toMatchObject({ type: 'xml', data, version: 1 });
    expect((await update(data)).status).toBe(200);
    expect(await contentOf()).toMatchObject({ data, version: 1 });
    expect(await contentOf({ contentKey: 'default', type: 'xml' })).toMatchObject({ data });
    expect((await get({ contentKey: 'default', type: 'text' })).status).toBe(400);
  });

  it('accepts marks of the caller', async () => {
    const data = '<p>a <mention id="1">b</mention></p>';
    await add(data, 'xml', { marks: ['mention'] });
    expect(await contentOf({ marks: ['mention'] })).toMatchObject({ data });
    expect(await contentOf()).toMatchObject({ data });
  });

  /** Elements of two nodes each, with one empty element more if the number of nodes is odd. */
  const wide = (nodes: number, word: string) =>
    Array.from({ length: Math.floor(nodes / 2) }, (_, at) => `<p>${word}${at}</p>`)
      .join('')
      .concat('<p/>'.repeat(nodes % 2));
  const deep = (levels: number, word: string) =>
    `${'<x>'.repeat(levels)}${word}${'</x>'.repeat(levels)}`;

  it.each([
    ['100,000 nodes', wide, 100_000, 'Content may hold 100,000 values.'],
    ['64 levels', deep, 64, 'Content may be nested 64 levels deep.'],
  ])(
    'of %s is accepted and survives a round trip, and one more is refused',
    async (_, of, most, message) => {
      const refused = {
        status: 'INVALID_ARGUMENT',
        code: 400,
        details: { issues: [{ path: 'data', message }] },
      };
      const [data, tooMuch] = [of(most, '7'), of(most + 1, '7')];
      expect((await add(tooMuch, 'xml')).body.error).toMatchObject(refused);
      expect((await update(data)).body.error.status).toBe('NOT_FOUND');

      expect((await add(data, 'xml')).status).toBe(200);
      expect((await update(data)).status).toBe(200);
      expect(await contentOf()).toMatchObject({ version: 1 });
      const changed = data.replaceAll('7<', '78<');
      expect((await update(changed)).status).toBe(200);
      expect((await update(tooMuch)).body.error).toMatchObject(refused);
      const stored = await contentOf();
      expect(stored.data === changed).toBe(true);
      expect(stored.version).toBe(2);
    },
    60_000,
  );

  it.each([
    ['that is malformed', '<p>'],
    ['with a document type', '<!DOCTYPE p><p/>'],
    ['with an entity of its own', '<p>&nbsp;</p>'],
  ])('%s is INVALID_ARGUMENT, and nothing changes', async (_, data) => {
    await add('<p>safe</p>', 'xml');
    const { body } = await update(data);
    expect(body.error).toMatchObject({ status: 'INVALID_ARGUMENT', code: 400 });
    expect(body.error.details.issues).toMatchObject([{ path: 'data' }]);
    expect(await contentOf()).toMatchObject({ data: '<p>safe</p>', version: 1 });
  });
});

describe('with a user token', () => {
  it('lets editors write as themselves, and viewers read', async () => {
    const [ed, vi] = [await as('ed', 'editor'), await as('vi', 'viewer')];
    expect((await add('one', 'text', {}, ed)).status).toBe(200);
    expect((await update('two', 'text', {}, ed)).status).toBe(200);
    const { body } = await get({}, vi);
    expect(body.result.data[0]).toMatchObject({ data: 'two', lastUpdatedBy: 'ed' });
  });
});

describe('crdt.update_data', () => {
  const eventsOf = async () => {
    const { body } = await server.call('/v2/events/get', { types: ['crdt.update_data'] });
    return body.result.data.events
      .filter((event: { data: { id: string } }) => event.data.id === editor.editorId)
      .map((event: { data: { data: unknown } }) => event.data.data);
  };

  it('is published at most once in five seconds, and always for the last state', async () => {
    await add('one');
    await update('two');
    await update('three');
    expect(await eventsOf()).toEqual(['one']);
    clock.time += 5_000;
    await eventually(async () => expect(await eventsOf()).toEqual(['one', 'three']));
    clock.time += 5_000;
    await update('four');
    expect(await eventsOf()).toEqual(['one', 'three', 'four']);
  });

  it('shows what crdt/get shows, on the channels of its place and its author', async () => {
    const organizationId = 'acme';
    const call = (operation: string, data: object) =>
      server.call(`/v2/organizations/${operation}/add`, { organizationId, ...data });
    await call('folders', { folders: [{ folderId: 'drafts', accessType: 'organizationPrivate' }] });
    await call('documents', { folderId: 'drafts', documents: [{ documentId: 'draft' }] });
    editor.documentId = 'draft';
    await add({ count: 1 }, 'map');
    clock.time += 5_000;
    const permissions = { resources: [{ type: 'document', id: 'draft', organizationId }] };
    const made = await server.call('/v2/auth/generate_token', { userId: 'ada', permissions });
    const headers = { authorization: `Bearer ${made.body.result.data.token}` };
    expect((await update({ count: 2, text: '"\\{},' }, 'map', {}, headers)).status).toBe(200);
    const content = await contentOf();
    expect(content).toMatchObject({ version: 2, lastUpdate: clock.time, lastUpdatedBy: 'ada' });
    const event = (await directoryOf(server).eventsOf(organizationId)).at(-1);
    expect(event).toMatchObject({
      type: 'crdt.update_data',
      documentId: 'draft',
      channels: ['organization:acme', 'document:draft', 'folder:drafts', 'user:ada'],
    });
    expect(event?.data).toEqual(content);
    expect(presentedEditor.safeParse(event?.data).success).toBe(true);
  });

  it('is not published for unchanged content', async () => {
    await add('same');
    clock.time += 60_000;
    await update('same');
    clock.time += 60_000;
    expect(await eventsOf()).toEqual(['same']);
  });

  it('is published for content that PostgreSQL cannot store as JSON', async () => {
    await add('nul');
    clock.time += 5_000;
    expect((await update('a\0b')).status).toBe(200);
    expect((await contentOf()).data).toBe('a\0b');
    expect(await eventsOf()).toEqual(['nul', 'a\ufffdb']);
  });
});

describe('empty content', () => {
  it.each([
    ['map', {}, 'text', ''],
    ['array', [], 'map', {}],
    ['text', '', 'array', []],
  ])('keeps type %s, as it was added', async (type, data, otherType, otherData) => {
    const editor = { organizationId: 'acme', documentId: 'plan', editorId: `empty-${type}` };
    expect((await server.call('/v2/crdt/add', { ...editor, type, data })).status).toBe(200);
    const { body } = await server.call('/v2/crdt/get', editor);
    expect(body.result.data[0]).toMatchObject({ type, data });

    const other = { ...editor, type: otherType, data: otherData };
    const refused = await server.call('/v2/crdt/update', other);
    expect(refused.body.error).toMatchObject({ status: 'INVALID_ARGUMENT', code: 400 });
  });
});
