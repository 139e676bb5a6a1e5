import { describe, expect, it } from 'vitest';
import { createAnchor } from '../../../src/platform/anchors/anchor.ts';
import { annotationsOf } from '../../support/annotations.ts';
import { dataOf, type Headers, type Loose } from '../../support/answers.ts';
import { newEditorPerTest, openPlan, planHeaders } from '../../support/editors.ts';
import { eventsOf } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestServer, testServer } from '../../support/server.ts';

const ADA = { userId: 'ada' };
const REFUSED = { success: false, status: 'FAILED_PRECONDITION' };

const server = testServer();
const editor = newEditorPerTest(server);
const place = { organizationId: 'acme', documentId: 'plan' };
const annotations = annotationsOf(server);

const write = async (data: string, type = 'text') => {
  await server.ok('/v2/crdt/add', { ...editor, type, data });
};
const contentOf = async () => (await server.ok('/v2/crdt/get', editor))[0].data;
const call = (verb: string, more: object, headers?: Headers) =>
  server.call(`/v2/suggestions/${verb}`, { ...editor, ...more }, headers);
const suggest = async (suggestions: object[]) =>
  dataOf(await call('add', { suggestions: suggestions.map((one) => ({ from: ADA, ...one })) }));
/** Adds one suggestion, and returns the id of its annotation. */
const suggested = async (quote: string, replacement: string, more = {}): Promise<string> => {
  const outcomes = await suggest([{ quote, replacement, ...more }]);
  const [[annotationId, outcome] = ['', {}]] = Object.entries(outcomes);
  expect(outcome).toMatchObject({ success: true, message: 'Suggestion added.' });
  return annotationId;
};
const decide = async (verb: 'accept' | 'reject', annotationIds: string[], headers?: Headers) =>
  dataOf(await call(verb, { annotationIds }, headers));
const annotationOf = async (annotationId: string) =>
  (await annotations.get({ annotationIds: [annotationId] }))[0];
const as = (userId: string) => planHeaders(server, userId);
const open = () => openPlan(server, editor.editorId);
const eventsAbout = async (annotationId: string) =>
  (await eventsOf(server, 'acme')).filter(({ data }) => data.annotationId === annotationId);

describe('suggestions/add', () => {
  it('adds an annotation with the quote, its place and the replacement, which an acceptance resolves', async () => {
    await write('<p>We launch in May.</p>', 'xml');
    const annotationId = await suggested('in May', 'in June', { comment: 'Later?' });
    expect(await annotationOf(annotationId)).toMatchObject({
      type: 'suggestion',
      from: ADA,
      status: { id: 'OPEN' },
      comments: [{ commentText: 'Later?' }],
      suggestion: {
        editorId: editor.editorId,
        status: 'pending',
        quote: 'in May',
        replacement: 'in June',
        pieces: [{ quote: 'in May', before: 'We launch ', after: '.', replacement: 'in June' }],
      },
    });
    expect(await contentOf()).toBe('<p>We launch in May.</p>');
    expect(await decide('accept', [annotationId])).toEqual({
      [annotationId]: { success: true, annotationId, message: 'Suggestion accepted.' },
    });
    expect(await contentOf()).toBe('<p>We launch in June.</p>');
    expect(await annotationOf(annotationId)).toMatchObject({
      status: { id: 'RESOLVED', type: 'terminal' },
      suggestion: { status: 'accepted', quote: 'in May' },
    });
  });

  it('refuses suggestions one by one, and says what is there', async () => {
    await write('one two one');
    const id = (name: string) => `${name}-${editor.editorId}`;
    await suggest([{ annotationId: id('taken'), quote: 'two', replacement: '2' }]);
    const { text } = await open();
    const [piece] = createAnchor([{ text, start: 8, end: 11 }]).pieces;
    const position = { start: piece?.start, end: piece?.end };
    const outcomes = await suggest([
      { annotationId: id('good'), quote: 'two', replacement: '2' },
      { annotationId: id('twice'), quote: 'one', replacement: '1' },
      { annotationId: id('last'), quote: 'one', replacement: 'three', position },
      { annotationId: id('missing'), quote: 'three', replacement: '3' },
      { annotationId: id('taken'), quote: 'two', replacement: '3' },
    ]);
    expect(outcomes).toMatchObject({
      [id('good')]: { success: true },
      [id('twice')]: {
        ...REFUSED,
        message: expect.stringMatching(/in a suggestion by its position\.$/),
        details: { occurrences: 2, matches: ['one two one', 'one two one'] },
      },
      [id('last')]: { success: true },
      [id('missing')]: { ...REFUSED, details: { present: 'one two one' } },
      [id('taken')]: { success: false, message: 'Annotation already exists.' },
    });
    await decide('accept', [id('last')]);
    expect(await contentOf()).toBe('one two three');
  });

  it('needs an author, an editor with content, and text', async () => {
    await write('text');
    const suggestions = [{ quote: 'text', replacement: 'x' }];
    expect((await call('add', { suggestions })).body.error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      details: { issues: [{ path: 'suggestions[0].from' }] },
    });
    const named = [{ ...suggestions[0], from: ADA }];
    editor.editorId += '-map';
    expect((await call('add', { suggestions: named })).body.error.status).toBe('NOT_FOUND');
    await server.ok('/v2/crdt/add', { ...editor, type: 'map', data: { a: 'text' } });
    expect((await call('add', { suggestions: named })).body.error.status).toBe('INVALID_ARGUMENT');
  });

  it('anchors quotes beside halves of characters and NUL, also in a document with a long history', async () => {
    await write('');
    const { text, sent } = await open();
    for (let at = 0; at < 3_000; at++) text.insert((at * 7919) % (text.length + 1), 'ab ');
    // Halves and NUL cannot be stored as JSON.
    text.insert(0, `\0 \ud83d 😀${'x'.repeat(31)}quote${'y'.repeat(31)}😀`);
    await sent();
    const annotationId = await suggested('quote', 'text');
    await decide('accept', [annotationId]);
    await eventually(() => expect(text.toString()).toContain('xtexty'));
  });
});

describe('suggestions/accept', () => {
  it('publishes the answer once, which does not change, and decision memory learns from it', async () => {
    await write('We launch in May.');
    const headers = await as('grace');
    const accepted = await suggested('in May', 'in June');
    const rejected = await suggested('We launch', 'They launch');
    for (const _ of [1, 2]) {
      expect(await decide('accept', [accepted], headers)).toMatchObject({
        [accepted]: { success: true, message: 'Suggestion accepted.' },
      });
      expect(await decide('reject', [rejected], headers)).toMatchObject({
        [rejected]: { success: true, message: 'Suggestion rejected.' },
      });
    }
    const message = 'The suggestion has already been';
    expect(await decide('reject', [accepted])).toMatchObject({
      [accepted]: { ...REFUSED, message: `${message} accepted.` },
    });
    expect(await decide('accept', [rejected])).toMatchObject({
      [rejected]: { ...REFUSED, message: `${message} rejected.` },
    });
    expect(await contentOf()).toBe('We launch in June.');
    const answers = [...(await eventsAbout(accepted)), ...(await eventsAbout(rejected))].filter(
      ({ type }) => type.includes('suggestion_'),
    );
    expect(answers).toMatchObject([
      {
        type: 'comment_annotation.suggestion_accept',
        data: {
          actionUser: { userId: 'grace' },
          suggestion: { status: 'accepted' },
          previous: { suggestion: { status: 'pending' } },
          resolvedByUserId: 'grace',
        },
      },
      {
        type: 'comment_annotation.suggestion_reject',
        data: { suggestion: { status: 'rejected' } },
      },
    ]);
    await eventually(async () => {
      const query = { organizationId: 'acme', reviewerId: 'grace' };
      const { results } = await server.ok('/v2/memory/judgments/query', query);
      expect(results.map((one: Loose) => [one.query, one.decision]).sort()).toEqual([
        ['We launch\nThey launch', 'rejected'],
        ['in May\nin June', 'approved'],
      ]);
    });
  });

  it('refuses what has changed, and shows the present text; the others are applied', async () => {
    await write('We launch in May. We celebrate in June.');
    const [changed, good] = [await suggested('in May', 'in July'), await suggested('June', 'July')];
    const comment = `comment-${editor.editorId}`;
    dataOf(await annotations.add(place, [{ annotationId: comment }]));
    await server.ok('/v2/crdt/replace_range', { ...editor, quote: 'May', replacement: 'Mai' });
    expect(await decide('accept', [changed, good, comment, 'none'])).toMatchObject({
      [changed]: { ...REFUSED, details: { present: expect.stringContaining('in Mai. We') } },
      [good]: { success: true },
      [comment]: REFUSED,
      none: { success: false, message: 'Annotation does not exist.' },
    });
    expect(await contentOf()).toBe('We launch in Mai. We celebrate in July.');
    expect(await annotationOf(changed)).toMatchObject({
      status: { id: 'OPEN' },
      suggestion: { status: 'pending' },
    });
  });

  it('cannot be applied twice by several callers of several processes', async () => {
    const other = await startTestServer({ DATABASE_URL: server.databaseUrl });
    await write('a b');
    const annotationId = await suggested('a', 'a a');
    const input = { ...editor, annotationIds: [annotationId] };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 ? server : other).ok('/v2/suggestions/accept', input, server.keyHeaders),
      ),
    );
    expect(answers.map((answer) => answer[annotationId].success)).toEqual(Array(10).fill(true));
    expect(await contentOf()).toBe('a a b');
    const types = (await eventsAbout(annotationId)).map(({ type }) => type);
    expect(types.filter((type) => type.endsWith('suggestion_accept'))).toHaveLength(1);
  });

  it('leaves all other text as it was while somebody types in the same word', async () => {
    await write('We launch in May, and celebrate.');
    const { text, sent } = await open();
    const annotationId = await suggested('May', 'June');
    const typing = (async () => {
      for (let at = 0; at < 8; at++) {
        text.insert(text.toString().indexOf(','), '!');
        await sent();
      }
    })();
    await decide('accept', [annotationId]);
    await typing;
    await eventually(async () => expect(await contentOf()).toBe(text.toString()));
    // Characters that are typed while the word is replaced come before or after it.
    expect(text.toString()).toMatch(/^We launch in !*June!*, and celebrate\.$/);
    expect(text.toString().match(/!/g)).toHaveLength(8);
  });
});

describe('access to suggestions', () => {
  it('a suggestion that a caller wrote by hand is never applied, nor a part of it', async () => {
    await write('Pay 20 to Eve.');
    const { suggestion } = await annotationOf(await suggested('Pay 20 to', 'Pay 9000 to'));
    const { editorId } = editor;
    const forged = [
      { ...suggestion, replacement: 'Pay 20 to' },
      { ...suggestion, quote: 'Eve' },
      { ...suggestion, replacement: undefined },
      { editorId, status: 'pending', pieces: [{ quote: 'Pay', replacement: 'x' }] },
      { editorId, status: 'pending', pieces: [] },
      { status: 'accepted' },
    ].map((own, at) => ({
      annotationId: `forged-${editor.editorId}-${at}`,
      type: 'suggestion',
      suggestion: own,
    }));
    dataOf(await annotations.add(place, forged));
    const ids = forged.map(({ annotationId }) => annotationId);
    const outcomes = await decide('accept', ids);
    expect(outcomes).toMatchObject(Object.fromEntries(ids.map((id) => [id, REFUSED])));
    expect(await contentOf()).toBe('Pay 20 to Eve.');
  });

  it('nobody answers or alters a suggestion by an update', async () => {
    await write('We launch in May.');
    const [annotationId, free] = [await suggested('in May', 'in June'), `free-${editor.editorId}`];
    dataOf(await annotations.add(place, [{ annotationId: free, suggestion: { text: 'Less' } }]));
    const before = await annotationOf(annotationId);
    const update = async (id: string, updatedData: object, headers = server.keyHeaders) =>
      dataOf(
        await annotations.call('update', { ...place, annotationIds: [id], updatedData }, headers),
      )[id];
    const refused: Array<[id: string, suggestion: object]> = [
      [annotationId, { status: 'accepted' }],
      [annotationId, { status: 'REJECTED' }],
      [annotationId, { pieces: [], status: 'accepted' }],
      [annotationId, { editorId: 'other' }],
      [annotationId, { quote: 'We', replacement: 'They' }],
      [free, { ...before.suggestion, status: 'accepted' }],
    ];
    const message =
      'This suggestion can be applied, so only suggestions/accept and suggestions/reject may change it.';
    for (const headers of [server.keyHeaders, await as('ed')]) {
      for (const [id, suggestion] of refused) {
        const outcome = await update(id, { suggestion, status: { id: 'RESOLVED' } }, headers);
        expect(outcome, JSON.stringify(suggestion)).toMatchObject({ success: false, message });
      }
    }
    expect(await annotationOf(annotationId)).toEqual(before);
    expect(await eventsAbout(annotationId)).toHaveLength(1);
    await update(annotationId, { suggestion: { note: 'Mine' } });
    await decide('accept', [annotationId]);
    expect(await contentOf()).toBe('We launch in June.');
    const { suggestion } = await annotationOf(annotationId);
    expect(suggestion).toMatchObject({ status: 'accepted', note: 'Mine' });
  });
});
