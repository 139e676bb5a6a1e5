import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { makePlan, openEditor, userToken } from '../../support/editors.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestServer, type TestServer, testServer } from '../../support/server.ts';

let count = 0;
let editor: { organizationId: string; documentId: string; editorId: string };
const server = testServer();
beforeAll(async () => {
  await makePlan(server);
});
beforeEach(() => {
  editor = { organizationId: 'acme', documentId: 'plan', editorId: `body-${++count}` };
});

const add = (data: unknown, type = 'text') =>
  server.call('/v2/crdt/add', { ...editor, type, data });
const replace = (quote: string, replacement: string, more = {}, headers?: Record<string, string>) =>
  server.call('/v2/crdt/replace_range', { ...editor, quote, replacement, ...more }, headers);
const contentOf = async () => (await server.call('/v2/crdt/get', editor)).body.result.data[0];
const errorOf = async (quote: string, replacement: string, more = {}) =>
  (await replace(quote, replacement, more)).body.error;
const tokenOf = (userId: string, accessRole?: 'viewer' | 'editor') =>
  userToken(server, userId, accessRole && { accessRole });
const open = async () =>
  openEditor({
    url: server.url,
    name: `acme/plan/${editor.editorId}`,
    token: await tokenOf('ed', 'editor'),
  });

describe('crdt/replace_range', () => {
  it.each<[what: string, type: string, data: string, quote: string, by: string, after: string]>([
    ['a word', 'text', 'We launch in May.', 'May', 'June', 'We launch in June.'],
    ['characters of two units', 'text', 'Hi 😀!', '😀', '😁', 'Hi 😁!'],
    ['lines of a text', 'text', 'a\n\nb\nc', 'a\n\nb', 'x', 'x\nc'],
    ['a passage by nothing', 'text', 'one two', ' two', '', 'one'],
    ['in one paragraph', 'xml', '<p>a b</p><p>b</p>', 'a b', 'a c', '<p>a c</p><p>b</p>'],
    ['formatted text', 'xml', '<p>a <b>bold</b> x</p>', 'bold', 'big', '<p>a <b>big</b> x</p>'],
    ['across formats', 'xml', '<p>a <b>b</b> c</p>', 'a b c', 'a b d', '<p>a <b>b</b> d</p>'],
    ['by more at its start', 'xml', '<p>a <b>b</b></p>', 'b', 'x b', '<p>a <b>x b</b></p>'],
    ['by more at its end', 'xml', '<p><b>b</b> a</p>', 'b', 'b x', '<p><b>b x</b> a</p>'],
    ['blocks', 'xml', '<h>One</h><p/><p>two</p>', 'One\n\ntwo', '1\n2', '<h>1</h><p/><p>2</p>'],
    ['parts of blocks', 'xml', '<p>a b</p><p>c d</p>', 'b\nc', 'B\nC', '<p>a B</p><p>C d</p>'],
    ['blocks by nothing', 'xml', '<p>a</p><p>b</p>', 'a\nb', '', '<p/><p/>'],
    [
      'with code',
      'xml',
      '<p>a</p><code>1\n2</code>',
      'a\n1\n2',
      'b\n3\n4',
      '<p>b</p><code>3\n4</code>',
    ],
  ])('replaces %s', async (_what, type, data, quote, by, after) => {
    await add(data, type);
    expect((await replace(quote, by)).body.result.data).toEqual({ version: 2 });
    expect(await contentOf()).toMatchObject({ data: after, type, version: 2 });
  });

  it('changes nothing where the replacement is the quote', async () => {
    await add('same');
    expect((await replace('same', 'same')).body.result.data).toEqual({ version: 1 });
  });

  it('says what is there instead of the quote', async () => {
    await add('We launch the product in May.');
    expect(await errorOf('We launch the service', 'x')).toMatchObject({
      status: 'NOT_FOUND',
      details: { present: 'We launch the product in May.' },
    });
    expect(await errorOf('n', 'x')).toMatchObject({
      status: 'FAILED_PRECONDITION',
      details: { occurrences: 2, matches: [expect.any(String), expect.any(String)] },
    });
    expect(await errorOf('n', 'x', { occurrence: 3 })).toMatchObject({ status: 'NOT_FOUND' });
    await replace('n', 'N', { occurrence: 2 });
    expect((await contentOf()).data).toBe('We launch the product iN May.');
  });

  it('replaces several blocks only by as many lines', async () => {
    await add('<p>a</p><p>b</p>', 'xml');
    for (const [quote, by] of [
      ['a\nb', 'c'],
      ['a\nb', 'c\nd\ne'],
      ['a\n', 'c'],
    ] as const) {
      expect(await errorOf(quote, by)).toMatchObject({ status: 'FAILED_PRECONDITION' });
    }
    expect(await contentOf()).toMatchObject({ data: '<p>a</p><p>b</p>', version: 1 });
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

  it.each([['map'], ['array']])('refuses content of type %s', async (type) => {
    await add(type === 'map' ? { a: 'quote' } : ['quote'], type);
    const error = await errorOf('quote', 'x');
    expect(error.status).toBe('INVALID_ARGUMENT');
    expect(error.message).toContain(`The stored content is of type ${type}`);
  });

  it('refuses quotes that no text can hold', async () => {
    await add('text');
    for (const quote of ['', '\ud83d', 'a\0b', 'x'.repeat(1024 * 1024)]) {
      expect(await errorOf(quote, 'x')).toMatchObject({ status: 'INVALID_ARGUMENT' });
      expect(await errorOf('text', quote || '\udc00')).toMatchObject({
        status: 'INVALID_ARGUMENT',
      });
    }
    expect(await contentOf()).toMatchObject({ data: 'text', version: 1 });
  });
});

describe('under live editing', () => {
  it('sends editors the changed characters alone, and keeps cursors', async () => {
    await add('We launch the new product in the first week of May.');
    const { doc, text } = await open();
    const cursor = Y.createRelativePositionFromTypeIndex(text, text.toString().indexOf('week'));
    const updates: Uint8Array[] = [];
    doc.on('update', (update: Uint8Array) => updates.push(update));
    await replace('the first week of May', 'the last week of May');
    await eventually(() => expect(text.toString()).toContain('the last week'));
    expect(updates.map(({ length }) => length < 50)).toEqual([true]);
    const moved = Y.createAbsolutePositionFromRelativePosition(cursor, doc);
    expect(text.toString().slice(moved?.index)).toBe('week of May.');
  });

  it('keeps what is typed at the same time', async () => {
    const words = Array.from({ length: 30 }, (_, at) => `word${at}.`);
    await add(words.join(' '));
    const { text, sent } = await open();
    const typing = words.map(async (_, at) => {
      text.insert(text.toString().indexOf(' '), '!');
      const answer = await replace(`word${at}.`, `WORD${at}.`);
      expect(answer.status).toBe(200);
    });
    await Promise.all(typing);
    await sent();
    const expected = words
      .map((word) => word.toUpperCase())
      .join(' ')
      .replace('.', `.${'!'.repeat(30)}`);
    await eventually(() => expect(text.toString()).toBe(expected));
    expect((await contentOf()).data).toBe(expected);
  });

  it('of two processes, one replaces a word and the other finds it replaced', async () => {
    const other = await startTestServer({ DATABASE_URL: server.databaseUrl });
    await add('We launch in May, and celebrate.');
    const by = (one: TestServer, quote: string, replacement: string) =>
      one.call('/v2/crdt/replace_range', { ...editor, quote, replacement }, server.keyHeaders);
    const answers = await Promise.all([
      by(server, 'May', 'June'),
      by(other, 'May', 'July'),
      by(server, 'celebrate', 'dance'),
      by(other, 'launch', 'start'),
    ]);
    const failed = answers.filter(({ status }) => status !== 200);
    expect(failed.map(({ body }) => body.error.status)).toEqual(['NOT_FOUND']);
    expect((await contentOf()).data).toMatch(/^We start in (?:June|July), and dance\.$/);
  });
});
