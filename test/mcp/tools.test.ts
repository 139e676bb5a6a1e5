import type { Client } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { agentToken, callTool, connectAgent, REVIEWER } from '../support/agents.ts';
import { annotationsOf, type Place } from '../support/annotations.ts';
import { fresh } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';

const XML =
  '<heading level="2">Launch</heading><paragraph>We launch in <bold>May</bold>.</paragraph>';
/** Each test has a document and a thread of its own. */
let place: Place;
let thread: Place & { annotationId: string };
let ada: Client;

const call = (path: string, data: object) => server.ok(path, data);
const tool = (name: string, input: object) => callTool(ada, name, input);
const threadNow = () => annotations.read(thread);

const server = await startTestServer();
const annotations = annotationsOf(server);
await organize(server, 'acme');
const resource = { type: 'organization', id: 'acme', organizationId: 'acme' };
const token = await agentToken(server, 'ada', [resource], { name: 'Ada Lovelace' });
await agentToken(server, 'bob', [resource], { name: 'Bob' });

beforeEach(async () => {
  place = { organizationId: 'acme', documentId: fresh('plan') };
  thread = { ...place, annotationId: fresh('headline') };
  const commentData = [{ commentText: 'Shorter?', from: { userId: 'bob' } }];
  await annotations.add(place, [{ annotationId: thread.annotationId, commentData }]);
  await call('/v2/crdt/add', { ...place, editorId: 'body', type: 'xml', data: XML });
  await call('/v2/crdt/add', { ...place, editorId: 'notes', type: 'text', data: 'A note.' });
  ada = await connectAgent(server, token);
});

it('documents and threads are resources of an agent', async () => {
  const read = async (uri: string) => (await ada.readResource({ uri })).contents[0];
  expect(await read(`collab://document/acme/${place.documentId}`)).toMatchObject({
    mimeType: 'text/markdown',
    text: expect.stringMatching(/^## Launch\n\nWe launch in \*\*May\*\*\.\n\nA note\./),
  });
  const found = await read(`collab://thread/acme/${place.documentId}/${thread.annotationId}`);
  expect(found?.mimeType).toBe('application/json');
  expect(JSON.parse(String((found as { text: string }).text))).toMatchObject({
    annotationId: thread.annotationId,
    comments: [{ text: 'Shorter?' }],
  });
});

it('the prompts of an agent name the document by its ids', async () => {
  const { prompts } = await ada.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['review_document', 'summarise_threads']);
  for (const { name } of prompts) {
    const { messages } = await ada.getPrompt({ name, arguments: { ...place } });
    const text = `the document "${place.documentId}" of the organization "acme"`;
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: expect.stringContaining(text) } },
    ]);
  }
});

describe('tools of an agent', () => {
  it('are listed with schemas, and marked where they only read', async () => {
    const { tools } = await ada.listTools();
    expect(tools.length).toBeGreaterThanOrEqual(15);
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect(description, name).toMatch(/\.$/);
      expect(inputSchema.type, name).toBe('object');
      expect(outputSchema, name).toBeDefined();
      expect(annotations?.readOnlyHint, name).toBeTypeOf('boolean');
    }
  });

  it('say what is wrong with their input in the sentences of all operations', async () => {
    const wrong = tool('read_document', { ...place, documentId: 5 });
    const sentence = 'INVALID_ARGUMENT: documentId: must be a string, not number';
    await expect(wrong).rejects.toThrow(sentence);
    const misspelt = tool('list_threads', { ...place, statuss: 'resolved' });
    await expect(misspelt).rejects.toThrow(
      'INVALID_ARGUMENT: statuss: is not known here. Did you mean status?',
    );
  });

  it('find documents and read them as Markdown, or as they are stored', async () => {
    const { organizationId, documentId } = place;
    const query = documentId.slice(2).toUpperCase();
    const { documents } = await tool('find_documents', { organizationId, query });
    expect(documents).toEqual([{ documentId, documentName: expect.any(String) }]);
    const read = await tool('read_document', { ...place });
    expect(read).toMatchObject({ editorId: 'body', format: 'markdown', page: 1, pages: 1 });
    expect(read.text).toBe('## Launch\n\nWe launch in **May**.');
    const stored = await tool('read_document', { ...place, format: 'stored' });
    expect(stored.text).toContain('<heading level=');
    const notes = await tool('read_document', { ...place, editorId: 'notes' });
    expect(notes.text).toBe('A note.');
    const explained = await tool('explain_access', place);
    expect(explained).toMatchObject({ mayRead: true, mayComment: true, mayWrite: true });
  });

  it('read a long text in pages that add up to it', async () => {
    const lines = Array.from({ length: 2_000 }, (_, line) => `Line ${line} 😀`).join('\n');
    const long = { ...place, editorId: 'long' };
    await call('/v2/crdt/add', { ...long, type: 'text', data: lines });
    const { pages } = await tool('read_document', long);
    expect(pages).toBeGreaterThan(1);
    let text = '';
    for (let page = 1; page <= pages; page++) {
      text += (await tool('read_document', { ...long, page })).text;
    }
    expect(text).toBe(lines);
    await expect(tool('read_document', { ...long, page: 99 })).rejects.toThrow(/^OUT_OF_RANGE/);
  });

  it('read maps as JSON, and rich text that is too long for Markdown as it is stored', async () => {
    const xml = `<paragraph>${'word '.repeat(40_000)}</paragraph>`;
    await call('/v2/crdt/add', { ...place, editorId: 'map', type: 'map', data: { a: [1, 'b'] } });
    await call('/v2/crdt/add', { ...place, editorId: 'long', type: 'xml', data: xml });
    const map = await tool('read_document', { ...place, editorId: 'map' });
    expect(map).toMatchObject({ format: 'stored', text: '{"a":[1,"b"]}' });
    const long = await tool('read_document', { ...place, editorId: 'long' });
    expect(long.format).toBe('stored');
    expect(long.text).toMatch(/^<paragraph>word/);
  });

  it('search and read threads, and write in them as the person and the agent', async () => {
    const { threads } = await tool('list_threads', { ...place, query: 'shorter' });
    expect(threads).toMatchObject([{ annotationId: thread.annotationId, isResolved: false }]);
    expect((await tool('list_threads', { ...place, query: 'nothing' })).threads).toEqual([]);
    const { commentId } = await tool('reply', { ...thread, text: 'Yes: five words.' });
    await tool('react', { ...thread, commentId: 1, icon: '👍' });
    const read = await tool('read_thread', thread);
    expect(read.comments).toMatchObject([
      { commentId: 1, by: { userId: 'bob' }, reactions: [{ icon: '👍', userIds: ['ada'] }] },
      { commentId, by: { userId: 'ada', name: 'Ada Lovelace' }, agent: 'Reviewer' },
    ]);
    const rest = await tool('read_thread', { ...thread, afterCommentId: 1 });
    expect(rest.comments).toMatchObject([{ commentId }]);
  });

  it('open a thread at quoted text, which follows the text', async () => {
    const quoted = { ...place, editorId: 'body', quote: 'launch in May' };
    const { annotationId } = await tool('open_thread', { ...quoted, text: 'Which day?' });
    const read = await tool('read_thread', { ...place, annotationId });
    expect(read).toMatchObject({ quote: 'launch in May', comments: [{ agent: 'Reviewer' }] });
    const { location } = await annotations.read({ ...place, annotationId });
    expect(location.id).toBe('body');
    const [piece] = location.anchor.pieces;
    expect(piece).toMatchObject({ before: 'We ', after: '.', start: { item: {} }, end: {} });
  });

  it.each([
    ['that is not there', 'launch in June', /^NOT_FOUND: .*launch in May.* Quote the current text/],
    ['that is there twice', 'unc', /^FAILED_PRECONDITION: .*times/],
  ])('refuse a quote %s, and say what is there', async (_name, quote, message) => {
    const quoted = { ...place, editorId: 'body', quote };
    const thread = tool('open_thread', { ...quoted, text: 'Hm?' });
    await expect(thread).rejects.toThrow(message);
    const edit = tool('suggest_edit', { ...quoted, replacement: 'x', reason: 'y' });
    await expect(edit).rejects.toThrow(/^FAILED_PRECONDITION: .*"/);
  });

  it('suggest an edit, which changes nothing before a person accepts it', async () => {
    const quoted = { ...place, editorId: 'body', quote: 'in May', replacement: 'in June' };
    const { annotationId } = await tool('suggest_edit', { ...quoted, reason: 'Printers.' });
    expect((await tool('read_document', place)).text).toContain('in **May**');
    const suggested = { ...place, annotationId };
    expect(await tool('read_thread', suggested)).toMatchObject({
      type: 'suggestion',
      suggestion: { quote: 'in May', replacement: 'in June', status: 'pending' },
      comments: [{ text: 'Printers.', agent: 'Reviewer' }],
    });
    const body = { ...place, editorId: 'body', annotationIds: [annotationId] };
    await call('/v2/suggestions/accept', { ...body });
    expect((await tool('read_document', place)).text).toContain('June');
  });

  it('assign, resolve and reopen a thread, and mention a person, as their person and their agent', async () => {
    const config = { isEnabled: true, immutable: false };
    await call('/v2/workspace/activityconfig/update', { activityServiceConfig: config });
    await tool('assign_thread', { ...thread, userId: 'bob' });
    await tool('resolve_thread', thread);
    expect(await threadNow()).toMatchObject({
      assignedTo: { userId: 'bob' },
      status: { id: 'RESOLVED' },
      resolvedByUserId: 'ada',
    });
    const { threads } = await tool('list_threads', { ...place, status: 'resolved' });
    expect(threads).toMatchObject([{ annotationId: thread.annotationId, isResolved: true }]);
    await tool('resolve_thread', { ...thread, reopen: true });
    await tool('assign_thread', { ...thread, userId: null });
    await tool('notify_person', { ...thread, userId: 'bob', text: 'Please decide.' });
    const { assignedTo, status, comments } = await threadNow();
    expect([assignedTo, status.id]).toEqual([undefined, 'OPEN']);
    expect(comments.at(-1)).toMatchObject({
      taggedUserContacts: [{ userId: 'bob' }],
      agent: REVIEWER,
    });
    const types = ['comment_annotation.status_change'];
    const { events } = await call('/v2/events/get', { types });
    expect(events.at(-1).data.actionUser).toMatchObject({ userId: 'ada', agent: REVIEWER });
    await eventually(async () => {
      const [activity] = await call('/v2/activities/get', { ...place, userId: 'ada' });
      expect(activity?.data.actionUser).toMatchObject({ agent: REVIEWER });
    });
  });

  it('record a judgment, find it, and suggest by it', async () => {
    const query = 'Discount of 15 percent for a renewal';
    for (const reasoning of ['Within the limit.', 'As before.']) {
      await tool('record_judgment', { ...place, query, decision: 'approved', reasoning });
    }
    const { judgments } = await tool('memory_search', { ...place, query });
    expect(judgments).toMatchObject([
      { query, decision: 'approved', reviewer: 'ada', judgeType: 'agent' },
      { query },
    ]);
    expect(await tool('memory_suggest', { ...place, query })).toHaveProperty('primary');
  });

  it('show what changed since a cursor', async () => {
    const { cursor, changes } = await tool('changes_since', place);
    expect(changes).toEqual([]);
    await tool('reply', { ...thread, text: 'Changed.' });
    const body = { ...place, editorId: 'notes', type: 'text', data: 'Another note.' };
    await call('/v2/crdt/update', body);
    const since = await tool('changes_since', { ...place, cursor });
    expect(since.changes.map(({ type }: { type: string }) => type)).toContain('comment.add');
    expect(since.changes[0]).toMatchObject({ by: 'ada', annotationId: thread.annotationId });
    expect(since.hasMore).toBe(false);
    const later = await tool('changes_since', { ...place, cursor: since.cursor });
    expect(later.changes).toEqual([]);
  });

  it('show all changes since a cursor, also those of threads that fill several pages of the log', async () => {
    const commentText = 'x'.repeat(60_000);
    const commentData = Array.from({ length: 30 }, () => ({
      from: { userId: 'ada' },
      commentText,
    }));
    const annotationId = fresh('large');
    await annotations.add(place, [{ annotationId, commentData }]);
    const { cursor } = await tool('changes_since', place);
    const statuses = ['IN_PROGRESS', 'RESOLVED', 'OPEN', 'IN_PROGRESS'];
    for (const id of statuses) {
      const change = { ...place, annotationIds: [annotationId], updatedData: { status: { id } } };
      await call('/v2/commentannotations/update', change);
    }
    const { changes } = await tool('changes_since', { ...place, cursor });
    expect(changes).toHaveLength(statuses.length);
  });

  it('show the agent as present, beside the people', async () => {
    await tool('read_document', place);
    expect((await tool('who_is_here', place)).people).toEqual([
      { userId: 'ada', name: 'Ada Lovelace', status: 'agent is reading' },
    ]);
    await tool('reply', { ...thread, text: 'Here.' });
    expect((await tool('who_is_here', place)).people).toMatchObject([
      { status: 'agent is writing' },
    ]);
    const present = { ...place, users: [{ userId: 'ada', status: 'online' }] };
    await call('/v2/presence/update', present);
    await tool('read_document', place);
    expect((await tool('who_is_here', place)).people).toMatchObject([{ status: 'online' }]);
  });
});
