import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { presentedEditor } from '../../../src/features/crdt/schema.ts';
import { userHeaders } from '../../support/annotations.ts';
import { failureOf, fresh, type Headers, type Loose } from '../../support/answers.ts';
import { directoryOf, organize } from '../../support/directory.ts';
import { newEditorPerTest, openPlan } from '../../support/editors.ts';
import { allEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestServer, type TestServer, testServer } from '../../support/server.ts';

const clock = { time: Date.now(), now: () => clock.time };

const server = testServer({}, { clock });
const editor = newEditorPerTest(server);

const call = (operation: string, more: object = {}, headers = server.keyHeaders) =>
  server.call(`/v2/crdt/${operation}`, { ...editor, ...more }, headers);
const ok = (operation: string, more: object = {}, headers = server.keyHeaders) =>
  server.ok(`/v2/crdt/${operation}`, { ...editor, ...more }, headers);
const add = (data: unknown, type = 'text', more?: object) => ok('add', { type, data, ...more });
const update = (data: unknown, type = 'text', more?: object) =>
  ok('update', { type, data, ...more });
const refusalOf = async (operation: string, data: unknown, type = 'text') =>
  (await call(operation, { type, data })).body.error;
const contentOf = async (more: object = {}): Promise<Loose> => (await ok('get', more))[0];
const open = () => openPlan(server, editor.editorId);
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe('crdt/add', () => {
  it.each<[type: string, data: unknown, empty: unknown, otherType: string, other: unknown]>([
    ['text', 'Hello', '', 'array', []],
    ['map', { a: { b: [1, null] } }, {}, 'text', ''],
    ['array', [{ id: 'x' }, 'y'], [], 'map', {}],
  ])('stores the type %s, which stays when empty', async (type, data, empty, ...other) => {
    expect((await call('add', { type, data })).body.result).toEqual({
      status: 'success',
      message: 'CRDT data added successfully.',
    });
    expect(await contentOf()).toEqual({
      ...{ id: editor.editorId, data, type },
      ...{ version: 1, lastUpdate: clock.time, lastUpdatedBy: null },
    });
    editor.editorId += '-empty';
    await add(empty, type);
    expect(await contentOf()).toMatchObject({ type, data: empty });
    const [otherType, otherData] = other;
    expect((await refusalOf('update', otherData, otherType)).status).toBe('INVALID_ARGUMENT');
  });

  it('adds content once under concurrent requests', async () => {
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((data) => call('add', { type: 'text', data })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await refusalOf('add', 'four')).status).toBe('ALREADY_EXISTS');
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
      ['text', 'a lone \ud83d surrogate'],
      ['map', []],
      ['map', { '\ude00': 1 }],
      ['map', { is: 'stored as text' }],
      ['array', {}],
      ['xml', '<p/>'],
    ] as const) {
      const refusal = await refusalOf('update', data, type);
      expect(refusal.status, JSON.stringify(data)).toBe('INVALID_ARGUMENT');
    }
    expect((await contentOf()).data).toBe('text');
    expect(failureOf(await call('get', { type: 'map' })).status).toBe('INVALID_ARGUMENT');
  });

  it('accepts content above the limits of free JSON, with at most 64 levels', async () => {
    await add('');
    await update('x'.repeat(200_000));
    editor.editorId += '-deep';
    await add(nested(64), 'map');
    expect((await refusalOf('update', nested(65), 'map')).status).toBe('INVALID_ARGUMENT');
  });

  it('finds no deleted content that is still in memory and equal', async () => {
    const keys: Headers[] = [{}, { 'idempotency-key': fresh('key') }];
    for (const keyed of keys) {
      await add('text');
      await update('equal');
      await ok('delete');
      const headers = { ...server.keyHeaders, ...keyed };
      const again = await call('update', { type: 'text', data: 'equal' }, headers);
      expect(failureOf(again).status).toBe('NOT_FOUND');
    }
  });
});

describe('xml', () => {
  it('has marks that the caller names', async () => {
    const data = '<p>a <mention id="1">b</mention></p>';
    await add(data, 'xml', { marks: ['mention'] });
    expect(await contentOf()).toMatchObject({ data });
  });

  it('has at most 100,000 nodes and 64 levels', async () => {
    const deep = (levels: number) => `${'<x>'.repeat(levels)}7${'</x>'.repeat(levels)}`;
    await add(deep(64), 'xml');
    for (const [data, message] of [
      [`${'<p>7</p>'.repeat(50_000)}<p/>`, 'Content may hold at most 100,000 values.'],
      [deep(65), 'Content may be nested at most 64 levels deep.'],
    ]) {
      const refused = { details: { issues: [{ path: 'data', message }] } };
      expect(await refusalOf('update', data, 'xml')).toMatchObject(refused);
    }
    expect(await contentOf()).toMatchObject({ data: deep(64), version: 1 });
  });
});

describe('crdt.update_data', () => {
  const published = async () =>
    (await allEvents(server, { types: ['crdt.update_data'] }))
      .filter(({ data }) => data.id === editor.editorId)
      .map(({ data }) => data.data);

  it('is published at most once in five seconds, and always for the last state', async () => {
    await add('one');
    for (const data of ['two', 'three']) await update(data);
    expect(await published()).toEqual(['one']);
    clock.time += 5_000;
    await eventually(async () => expect(await published()).toEqual(['one', 'three']));
    clock.time += 60_000;
    await update('three');
    clock.time += 60_000;
    expect(await published(), 'unchanged content').toEqual(['one', 'three']);
    // PostgreSQL cannot store NUL as JSON.
    await update('a\0b');
    expect((await contentOf()).data).toBe('a\0b');
    expect(await published()).toEqual(['one', 'three', 'a\ufffdb']);
  });

  it('is published within about a minute after the clock was set back by an hour', async () => {
    const hour = 3_600_000;
    clock.time += hour;
    for (const change of [add, update]) await change(change.name);
    clock.time -= hour;
    await update('three');
    clock.time += 66_000;
    await eventually(async () => expect(await published()).toEqual(['add', 'three']));
    clock.time += hour;
  });

  it('shows what crdt/get shows, on the channels of its place and its author', async () => {
    const organizationId = 'acme';
    await organize(server, organizationId, {
      folders: [{ folderId: 'drafts', accessType: 'organizationPrivate' }],
      documents: [{ documentId: 'draft', folderId: 'drafts' }],
    });
    editor.documentId = 'draft';
    await add({ count: 1 }, 'map');
    clock.time += 5_000;
    const headers = await userHeaders(server, 'ada', [
      { type: 'document', id: 'draft', organizationId },
    ]);
    await ok('update', { type: 'map', data: { count: 2, text: '"\\{},' } }, headers);
    const content = await contentOf();
    expect(content).toMatchObject({ version: 2, lastUpdate: clock.time, lastUpdatedBy: 'ada' });
    const event = (await directoryOf(server).eventsOf(organizationId)).at(-1);
    expect(event).toMatchObject({
      ...{ type: 'crdt.update_data', documentId: 'draft' },
      channels: ['organization:acme', 'document:draft', 'folder:drafts', 'user:ada'],
    });
    expect(event?.data).toEqual(content);
    expect(presentedEditor.safeParse(event?.data).success).toBe(true);
  });
});

describe('crdt/replace_range', () => {
  const replace = (quote: string, replacement: string, more: object = {}) =>
    ok('replace_range', { quote, replacement, ...more });
  const errorOf = async (quote: string, replacement: string, more: object = {}) =>
    (await call('replace_range', { quote, replacement, ...more })).body.error;

  it.each<[what: string, type: string, data: string, quote: string, by: string, after: string]>([
    ['characters of two units', 'text', 'Hi 😀!', '😀', '😁', 'Hi 😁!'],
    ['lines of a text', 'text', 'a\n\nb\nc', 'a\n\nb', 'x', 'x\nc'],
    ['a passage by nothing', 'text', 'one two', ' two', '', 'one'],
    ['across formats', 'xml', '<p>a <b>b</b> c</p>', 'a b c', 'a b d', '<p>a <b>b</b> d</p>'],
    ['by more at its start', 'xml', '<p>a <b>b</b></p>', 'b', 'x b', '<p>a <b>x b</b></p>'],
    ['by more at its end', 'xml', '<p><b>b</b> a</p>', 'b', 'b x', '<p><b>b x</b> a</p>'],
    ['blocks', 'xml', '<h>One</h><p/><p>two</p>', 'One\n\ntwo', '1\n2', '<h>1</h><p/><p>2</p>'],
    ['parts of blocks', 'xml', '<p>a b</p><p>c d</p>', 'b\nc', 'B\nC', '<p>a B</p><p>C d</p>'],
    ['blocks by nothing', 'xml', '<p>a</p><p>b</p>', 'a\nb', '', '<p/><p/>'],
    ['code', 'xml', '<p>a</p><c>1\n2</c>', 'a\n1\n2', 'b\n3\n4', '<p>b</p><c>3\n4</c>'],
  ])('replaces %s', async (_what, type, data, quote, by, after) => {
    await add(data, type);
    expect(await replace(quote, by)).toEqual({ version: 2 });
    expect(await contentOf()).toMatchObject({ data: after, type, version: 2 });
  });

  it('says what is there instead of the quote', async () => {
    await add('We launch the product in May.');
    expect(await replace('May', 'May'), 'no change').toEqual({ version: 1 });
    expect(await errorOf('We launch the service', 'x')).toMatchObject({
      status: 'NOT_FOUND',
      details: { present: 'We launch the product in May.' },
    });
    expect(await errorOf('n', 'x')).toMatchObject({
      status: 'FAILED_PRECONDITION',
      details: { occurrences: 2, matches: [expect.any(String), expect.any(String)] },
    });
    expect(await errorOf('n', 'x', { occurrence: 3 })).toMatchObject({
      status: 'NOT_FOUND',
      message: 'The text has fewer matches of the quote than the given occurrence.',
    });
    await replace('n', 'N', { occurrence: 2 });
    expect((await contentOf()).data).toBe('We launch the product iN May.');
  });

  it('replaces several blocks only by as many lines', async () => {
    const data = '<p>a</p><p>b</p>';
    await add(data, 'xml');
    for (const [quote, by] of [
      ['a\nb', 'c'],
      ['a\nb', 'c\nd\ne'],
      ['a\n', 'c'],
    ] as const) {
      expect(await errorOf(quote, by)).toMatchObject({ status: 'FAILED_PRECONDITION' });
    }
    expect(await contentOf()).toMatchObject({ data, version: 1 });
  });

  it('joins texts that two users began in one paragraph', async () => {
    await add('<p></p>', 'xml');
    const { doc, sent } = await open();
    const [paragraph] = doc.getXmlFragment('default').toArray() as [Y.XmlElement];
    paragraph.insert(0, [new Y.XmlText('Hel'), new Y.XmlText('lo world')]);
    await sent();
    await replace('Hello world', 'Hello there');
    expect((await contentOf()).data).toBe('<p>Hello there</p>');
    await eventually(() => expect(paragraph.toArray().map(String)).toEqual(['Hel', 'lo there']));
  });

  it('refuses content of another type, and texts that no content can hold', async () => {
    await add({ a: 'quote' }, 'map');
    expect(await errorOf('quote', 'x')).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: expect.stringContaining('The stored content is of type map'),
    });
    editor.editorId += '-text';
    await add('text');
    for (const [quote, by] of [
      ['', 'x'],
      ['\ud83d', 'x'],
      ['a\0b', 'x'],
      ['x'.repeat(1024 * 1024), 'x'],
      ['text', '\udc00'],
    ] as const) {
      expect(await errorOf(quote, by)).toMatchObject({ status: 'INVALID_ARGUMENT' });
    }
    expect(await contentOf()).toMatchObject({ data: 'text', version: 1 });
  });

  it('of two processes, one replaces a word and the other finds it replaced', async () => {
    const other = await startTestServer({ DATABASE_URL: server.databaseUrl });
    await add('We launch in May, and celebrate.');
    const replaceAt = (one: TestServer, quote: string, replacement: string) =>
      one.call('/v2/crdt/replace_range', { ...editor, quote, replacement }, server.keyHeaders);
    const answers = await Promise.all([
      replaceAt(server, 'May', 'June'),
      replaceAt(other, 'May', 'July'),
      replaceAt(server, 'celebrate', 'dance'),
      replaceAt(other, 'launch', 'start'),
    ]);
    const failed = answers.filter(({ status }) => status !== 200);
    expect(failed.map(({ body }) => body.error.status)).toEqual(['NOT_FOUND']);
    expect((await contentOf()).data).toMatch(/^We start in (?:June|July), and dance\.$/);
  });
});
