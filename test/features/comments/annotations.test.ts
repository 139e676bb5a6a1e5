import { describe, expect, it } from 'vitest';
import {
  annotationsOf,
  editorHeaders,
  keyWithPrivateComments,
  type Place,
  type Target,
  userHeaders,
} from '../../support/annotations.ts';
import { dataOf, failureOf, fresh, invalid, UNUSUAL_IDS } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventsOf, storedEvents } from '../../support/events.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });
const comments = annotationsOf(server);
const { annotated, ok, read } = comments;

const ada = { userId: 'ada', name: 'Ada Lovelace' };
const grace = { userId: 'grace', name: 'Grace Hopper' };

const changeOf = ({ annotationId, ...place }: Target, updatedData: object) => ({
  ...place,
  annotationIds: [annotationId],
  updatedData,
});
/** The outcome of an update. */
const update = async (target: Target, updatedData: object, headers = server.keyHeaders) =>
  (await ok('update', changeOf(target, updatedData), headers))[target.annotationId];
const published = (place: Place, type: string) =>
  eventsOf(server, place.organizationId, [`comment_annotation.${type}`]);

describe('commentannotations/add', () => {
  it('adds an annotation with all fields of 2.11, and publishes it', async () => {
    const [place, annotationId] = [comments.place(), fresh('annotation')];
    const given = {
      annotationId,
      location: { id: 7, version: { id: 'v2', name: 'Second' } },
      priority: { id: 'P1', name: 'High', color: '#f00' },
      assignedTo: grace,
      pageInfo: { url: 'https://example.com/plan', title: 'Plan' },
      customList: [{ id: 'tag' }],
    };
    const comment = {
      commentText: 'Shorter, @Grace?',
      commentHtml: '<p onclick="x()">Shorter, <b>@Grace</b>?<script>1</script></p>',
      from: ada,
      taggedUserContacts: [grace],
      attachments: [{ attachmentId: 1, url: 'https://example.com/a.png' }],
    };
    const access = { team: ['red', 'blue'] };
    const metadata = { sdkVersion: '4.5.4' };
    const answer = await comments.add(place, [
      { ...given, metadata, context: { access }, commentData: [comment] },
    ]);
    const message = 'Annotation added.';
    expect(dataOf(answer)).toEqual({
      [annotationId]: { success: true, annotationId, commentIds: [1], message },
    });
    const [annotation] = await comments.get(place);
    expect(annotation).toMatchObject({
      ...given,
      ...{ annotationNumber: 1, annotationIndex: 1, type: 'comment', hasDraftComments: false },
      locationId: 7,
      context: { access, accessFields: ['team:blue', 'team:red'] },
      visibilityConfig: { type: 'public' },
      metadata: { ...metadata, apiKey: server.quickstart.apiKey, ...place },
      from: ada,
      subscribedUsers: {
        ada: { user: ada, type: 'auto' },
        grace: { user: grace, type: 'auto' },
      },
      unsubscribedUsers: {},
      status: { id: 'OPEN', name: 'Open', type: 'default' },
      comments: [
        {
          ...comment,
          ...{ commentId: 1, type: 'text', status: 'added', isDraft: false },
          ...{ isCommentTextAvailable: true, reactionAnnotations: [] },
        },
      ],
    });
    const [event] = await published(place, 'add');
    const added = { actionUser: ada, commentIds: [1], triggerNotification: false };
    expect(event?.data).toEqual({ ...annotation, ...added });
  });

  it('completes authors, and those who resolve it, with their stored fields', async () => {
    const { documentId: _, organizationId, ...place } = { ...comments.place() };
    const user = { ...ada, userId: fresh('user'), email: 'ada@example.com' };
    await server.ok('/v1/users/add', { organizationId, users: [user] });
    const commentData = [{ commentText: 'x', from: { userId: user.userId } }];
    const target = { ...place, organizationId, documentId: 'd', annotationId: fresh('annotation') };
    dataOf(await comments.add(target, [{ annotationId: target.annotationId, commentData }]));
    const complete = { ...user, initial: 'A' };
    expect((await read(target)).from).toEqual(complete);
    await update(target, { status: { id: 'RESOLVED' }, resolvedByUserId: user.userId });
    const [event] = await published(target, 'status_change');
    expect(event?.data.actionUser).toEqual(complete);
  });

  it('refuses an id that exists anywhere in the key, and adds a duplicate once', async () => {
    const { annotationId } = await annotated();
    const other = comments.place();
    const again = dataOf(await comments.add(other, [{ annotationId }, { annotationId: 'b' }]));
    expect(again[annotationId]).toMatchObject({ success: false, commentIds: [] });
    const twice = [{ annotationId: 'twice' }, { annotationId: 'twice', type: 'suggestion' }];
    dataOf(await comments.add(other, twice));
    const found = await comments.get({ ...other, order: 'asc' });
    expect(found.map((each) => [each.annotationNumber, each.annotationId, each.type])).toEqual([
      [1, 'b', 'comment'],
      [2, 'twice', 'suggestion'],
    ]);
  });

  it('accepts unusual ids', async () => {
    const place = comments.place();
    dataOf(
      await comments.add(
        place,
        UNUSUAL_IDS.map((annotationId) => ({ annotationId })),
      ),
    );
    expect((await comments.ids(place)).sort()).toEqual([...UNUSUAL_IDS].sort());
  });

  it('refuses private comments unless they are enabled for the key, and unknown authors', async () => {
    const place = comments.place();
    const visibility = { type: 'restricted', userIds: ['ada'] };
    const refused = failureOf(await comments.add(place, [{ visibility }]));
    expect(refused.status).toBe('FAILED_PRECONDITION');
    const headers = await keyWithPrivateComments(server);
    dataOf(await comments.add(place, [{ visibility }], {}, headers));
    expect((await comments.get(place, headers))[0].visibilityConfig).toEqual(visibility);
    const anonymous = await comments.add(place, [{ commentData: [{ commentText: 'x' }] }]);
    expect(anonymous.body).toEqual(invalid('commentAnnotations[0].commentData[0].from'));
    const more = { verifyUserPermissions: true };
    const stranger = dataOf(await comments.add(place, [{ annotationId: 'x' }], more));
    expect(stranger.x.success).toBe(false);
    expect(await comments.ids(place)).toEqual([]);
    const [elsewhere, userId] = [comments.place(), fresh('user')];
    const { organizationId } = elsewhere;
    await server.ok('/v1/users/add', { organizationId, users: [{ userId }] });
    const commentData = [{ commentText: 'Hello', from: { userId } }];
    const known = await comments.add(elsewhere, [{ annotationId: userId, commentData }], more);
    expect(dataOf(known)[userId].success).toBe(true);
  });

  it('publishes the user of a user token as the author, who notifies others', async () => {
    const [place, userId] = [await annotated(), fresh('user')];
    dataOf(await comments.add(place, [{}], {}, await editorHeaders(server, place, userId)));
    const [, event] = await published(place, 'add');
    expect(event?.data).toMatchObject({ triggerNotification: true, actionUser: { userId } });
  });

  it('numbers the annotations of a document without gaps under concurrency', async () => {
    const [place, annotationId] = [comments.place(), fresh('shared')];
    const add = async () => dataOf(await comments.add(place, [{ annotationId }, {}, {}]));
    await Promise.all(Array.from({ length: 6 }, add));
    const numbers = (await comments.get(place)).map((annotation) => annotation.annotationNumber);
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 13 }, (_, n) => n + 1));
    expect(await published(place, 'add')).toHaveLength(13);
  });
});

describe('commentannotations/update', () => {
  it('resolves on a terminal status, and reopens on any other', async () => {
    const target = await annotated();
    const { organizationId, annotationId } = target;
    const before = await read(target);
    const resolved = { status: { id: 'RESOLVED' }, resolvedByUserId: 'grace' };
    expect(await update(target, resolved)).toEqual({
      success: true,
      annotationId,
      commentIds: [1],
      message: 'Annotation updated.',
    });
    const after = await read(target);
    expect(after).toMatchObject({
      status: { id: 'RESOLVED', type: 'terminal' },
      resolvedByUserId: 'grace',
    });
    expect(after.lastUpdated).toBeGreaterThanOrEqual(before.lastUpdated);
    expect(await comments.ids({ organizationId, resolvedBy: 'grace' })).toEqual([annotationId]);
    const [event] = await published(target, 'status_change');
    expect(event?.data).toMatchObject({ ...after, previous: before });
    await update(target, { status: { id: 'IN_PROGRESS' } });
    expect(await read(target)).not.toHaveProperty('resolvedByUserId');
    expect(await comments.ids({ organizationId, resolvedBy: 'grace' })).toEqual([]);
    const done = { id: 'done', name: 'Done', type: 'terminal' };
    await update(target, { status: done });
    expect((await read(target)).status).toEqual(done);
  });

  it('publishes each change by its type, and nothing without a change', async () => {
    const target = await annotated({ type: 'suggestion', suggestion: { text: 'Less' } });
    for (const change of [
      { assignedTo: { userId: 'grace' }, priority: { id: 'P1' } },
      { assignedTo: { userId: 'grace' } },
      { assignedTo: null },
      { suggestion: { status: 'accepted' } },
      { status: { id: 'REJECTED', type: 'terminal' } },
      { context: { access: { team: ['red'] } } },
      { customList: [] },
      { customList: [1] },
      { customList: [] },
      { customList: [] },
      { location: { id: 'three' } },
    ]) {
      expect((await update(target, change)).success).toBe(true);
    }
    const events = await eventsOf(server, target.organizationId);
    const types = events.map(({ type }) => type).filter((type) => type.startsWith('comment'));
    expect(types).toEqual([
      'comment_annotation.add',
      'comment_annotation.assign',
      'comment_annotation.priority_change',
      'comment_annotation.assign',
      'comment_annotation.suggestion_accept',
      'comment_annotation.status_change',
      'comment_annotation.reject',
      'comment_annotation.access_mode_change',
      'comment_annotation.custom_list_change',
      'comment_annotation.custom_list_change',
      'comment.update',
    ]);
    const { organizationId } = target;
    expect(await comments.ids({ organizationId, locationIds: ['three'] })).toHaveLength(1);
    const suggestion = { text: 'Less', status: 'accepted' };
    expect(await read(target)).toMatchObject({ suggestion, customList: [] });
  });

  it('changes the annotations that the filters find, and requires a filter', async () => {
    const target = await annotated();
    const { organizationId } = target;
    dataOf(await comments.add(target, [{}, {}]));
    const updatedData = { priority: { id: 'P2' } };
    const filters = { organizationId, statusIds: ['OPEN'], updatedData };
    expect(Object.keys(await ok('update', filters))).toHaveLength(3);
    for (const none of [{}, { documentIds: [] }, { agentSuggestions: false }]) {
      const all = await comments.call('update', { organizationId, ...none, updatedData });
      expect(failureOf(all).status).toBe('INVALID_ARGUMENT');
    }
    const unknown = await ok('update', { ...filters, annotationIds: ['nobody'] });
    expect(unknown.nobody.success).toBe(false);
  });

  it('lets editors change visible annotations, but only the author change the visibility', async () => {
    const target = await annotated();
    const author = await editorHeaders(server, target, 'ada');
    const other = await editorHeaders(server, target, fresh('grace'));
    const resolved = { status: { id: 'RESOLVED' }, resolvedByUserId: 'somebody else' };
    await update(target, resolved, author);
    expect((await read(target)).resolvedByUserId).toBe('ada');
    const context = { context: { access: { team: ['red'] } } };
    expect((await update(target, context, other)).success).toBe(false);
    expect((await update(target, context, author)).success).toBe(true);
    const unseen = await update(target, { priority: { id: 'P1' } }, other);
    expect(unseen.message).toBe('Annotation does not exist.');
    const secret = changeOf(target, { visibility: { type: 'restricted' } });
    expect(failureOf(await comments.call('update', secret)).status).toBe('FAILED_PRECONDITION');
  });

  it('changes no document that the user may only view, through a folder that the user may edit', async () => {
    const { organizationId, documentId, annotationId } = await annotated();
    const documents = [{ documentId: 'open', folderId: 'folder' }];
    await organize(server, organizationId, { folders: ['folder'], documents });
    const moved = { organizationId, documentIds: [documentId], folderId: 'folder' };
    await server.ok('/v2/organizations/documents/move', moved);
    const other = fresh('annotation');
    dataOf(await comments.add({ organizationId, documentId: 'open' }, [{ annotationId: other }]));
    const editor = await userHeaders(server, fresh('editor'), [
      { type: 'folder', id: 'folder', organizationId },
      { type: 'document', id: documentId, organizationId, accessRole: 'viewer' },
    ]);
    const inFolder = { organizationId, folderId: 'folder' };
    expect((await comments.ids(inFolder, editor)).sort()).toEqual([annotationId, other].sort());
    const change = { ...inFolder, updatedData: { priority: { id: 'P1' } } };
    expect(Object.keys(await ok('update', change, editor))).toEqual([other]);
  });
});

it('commentannotations/delete deletes and publishes once, also with concurrent updates and deletions', async () => {
  const target = await annotated();
  const { annotationId, ...place } = target;
  const deletion = { ...place, annotationIds: [annotationId] };
  await Promise.all([
    ...Array.from({ length: 5 }, (_, n) => update(target, { priority: { id: `P${n}` } })),
    ...[1, 2].map(() => ok('delete', deletion)),
  ]);
  expect(await read(target)).toBeNull();
  expect(await published(target, 'delete')).toMatchObject([
    { data: { annotationId, comments: [{ commentId: 1 }] } },
  ]);
  expect((await update(target, { priority: { id: 'P' } })).success).toBe(false);
});

it.each([
  ['update', { updatedData: { status: { id: 'RESOLVED' } } }],
  ['delete', {}],
])(
  '%s refuses an empty list and unknown documents among several, and changes nothing',
  async (operation, more) => {
    const { annotationId, ...place } = await annotated();
    const { organizationId, documentId } = place;
    const annotation = await read({ ...place, annotationId });
    const refused = await comments.call(operation, { ...place, annotationIds: [], ...more });
    expect(refused.body).toEqual(invalid('annotationIds'));
    const documentIds = [documentId, 'nowhere', 'lost'];
    const { body } = await comments.call(operation, { organizationId, documentIds, ...more });
    expect(body.error).toMatchObject(UNKNOWN_DOCUMENTS);
    expect(await read({ ...place, annotationId })).toEqual(annotation);
  },
);

it('an annotation that is added while its document moves is listed in the new folder alone, and published in the folder of that moment', async () => {
  const place = comments.place();
  const { organizationId, documentId } = place;
  const ids = { organizationId, documentIds: [documentId] };
  const moveTo = (folderId: string) =>
    server.ok('/v2/organizations/documents/move', { ...ids, folderId });
  dataOf(await comments.add(place, [{}]));
  const folders = [{ folderId: 'old' }, { folderId: 'new' }];
  await server.ok('/v2/organizations/folders/add', { organizationId, folders });
  await moveTo('old');
  const counter = await holdTransaction(
    server.databaseUrl,
    'UPDATE annotation_counters SET last_number = last_number WHERE organization_id = $1',
    [organizationId],
  );
  const adding = comments.add(place, [{ annotationId: fresh('annotation') }]);
  await counter.holdsUp(1, 'annotation_counters');
  const moving = moveTo('new');
  await Promise.race([moving, counter.holdsUp(1, 'FOR NO KEY UPDATE')]);
  await counter.release();
  dataOf(await adding);
  await moving;
  expect(await comments.get({ organizationId, folderId: 'old' })).toEqual([]);
  expect(await comments.get({ organizationId, folderId: 'new' })).toHaveLength(2);
  const log = (await storedEvents(server)).filter((event) => event.documentId === documentId);
  const at = log.findLastIndex(({ type }) => type === 'comment_annotation.add');
  const lastMove = log.slice(0, at).findLast(({ type }) => type === 'document.move');
  const channels = log[at]?.channels.filter((channel) => channel.startsWith('folder:'));
  const { folderId } = Object(lastMove?.data);
  expect(channels).toEqual([`folder:${folderId}`]);
});

const UNKNOWN_DOCUMENTS = {
  status: 'INVALID_ARGUMENT',
  details: { reason: 'document_not_found', unknownDocumentIds: ['nowhere', 'lost'] },
};

it('commentannotations/count/get counts by document, with zero for documents without annotations', async () => {
  const { organizationId, documentId } = await annotated();
  dataOf(await comments.add({ organizationId, documentId }, [{ status: { id: 'RESOLVED' } }]));
  await organize(server, organizationId, { documents: ['none'] });
  const both = { userId: 'grace', documentIds: [documentId, 'none'] };
  for (const [query, expected] of [
    [{}, { [documentId]: { total: 2, unread: 2 } }],
    [{ userId: 'ada' }, { [documentId]: { total: 2, unread: 0 } }],
    [{ statusIds: ['OPEN'] }, { [documentId]: { total: 1, unread: 1 } }],
    [both, { [documentId]: { total: 2, unread: 2 }, none: { total: 0, unread: 0 } }],
  ] as const) {
    const counted = await ok('count/get', { organizationId, ...query });
    expect(counted, JSON.stringify(query)).toEqual(expected);
  }
  const documentIds = [documentId, 'nowhere', 'lost'];
  const { body } = await comments.call('count/get', { organizationId, documentIds });
  expect(body.error).toMatchObject(UNKNOWN_DOCUMENTS);
});

it.each([
  ['delete', {}],
  ['update', { updatedData: { priority: { id: 'P1' } } }],
])(
  '%s leaves an annotation alone that no longer matches the filters when it is its turn',
  async (operation, more) => {
    const target = await annotated({ status: { id: 'RESOLVED' } });
    const { annotationId, ...place } = target;
    const reopening = await holdTransaction(
      server.databaseUrl,
      `UPDATE comment_annotations SET status_id = 'OPEN', status = '{"id":"OPEN","type":"default"}'
     WHERE annotation_id = $1`,
      [annotationId],
    );
    const changing = ok(operation, { ...place, statusIds: ['RESOLVED'], ...more });
    await reopening.holdsUp(1);
    await reopening.release();
    expect(await changing).toEqual({});
    expect(await read(target)).toMatchObject({ annotationId, status: { id: 'OPEN' } });
    expect((await read(target)).priority).toBeUndefined();
  },
);

describe('the limit of 2 MB for one annotation', () => {
  const from = { userId: 'ada' };
  /** Each comment has 128 KB. */
  const large = (count: number, first?: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ from, commentText: 'x'.repeat(65_000), commentHtml: 'y'.repeat(65_000) },
      ...(first && { commentId: first + at }),
    }));
  const FULL = expect.stringMatching(/may hold at most 2 MB/);

  it('applies to comments that are added or updated, while others may be added or deleted', async () => {
    const target = await annotated({ commentData: large(15) });
    const small = Array.from({ length: 3 }, () => ({ from, commentText: 'a' }));
    await ok('comments/add', { ...target, commentData: small });
    for (const [operation, commentData] of [
      ['comments/add', large(2)],
      ['comments/update', large(3, 16)],
    ] as const) {
      const { body } = await comments.call(operation, { ...target, commentData });
      expect(body.error).toMatchObject({ status: 'INVALID_ARGUMENT', message: FULL });
    }
    await ok('comments/delete', { ...target, commentIds: [1] });
  });

  /** Comments that each mention ten users with 15 KB. */
  async function mentioning(organizationId: string, count: number) {
    const users = Array.from({ length: 10 }, () => ({
      userId: fresh('user'),
      about: 'x'.repeat(15_000),
    }));
    dataOf(await server.call('/v1/users/add', { organizationId, users }));
    const taggedUserContacts = users.map(({ userId }) => ({ userId }));
    return Array.from({ length: count }, () => ({ from, taggedUserContacts }));
  }

  it('applies to a new annotation, also with stored fields of mentioned users, and the others of the call are added', async () => {
    const place = comments.place();
    const [full, mentions, small] = [fresh('full'), fresh('mentions'), fresh('small')];
    const given = [
      { annotationId: full, commentData: large(17) },
      { annotationId: mentions, commentData: await mentioning(place.organizationId, 20) },
      { annotationId: small },
    ];
    expect(dataOf(await comments.add(place, given))).toMatchObject({
      [full]: { success: false, commentIds: [], message: FULL },
      [mentions]: { success: false, commentIds: [], message: FULL },
      [small]: { success: true },
    });
    const added = await comments.get(place);
    expect(added).toMatchObject([{ annotationId: small, annotationNumber: 1 }]);
  });

  it('leaves at most 32 MB to all new annotations of a call together, of which none is added beyond', async () => {
    const place = comments.place();
    const commentData = await mentioning(place.organizationId, 12);
    const given = Array.from({ length: 20 }, () => ({ commentData }));
    const { body } = await comments.add(place, given);
    expect(body.error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/at most 32 MB together/),
    });
    expect(await comments.get({ organizationId: place.organizationId })).toEqual([]);
  });
});

it('limits a suggestion as a whole, since changes of it are merged', async () => {
  const target = await annotated({ type: 'suggestion', suggestion: { first: 'x'.repeat(60_000) } });
  const message = expect.stringMatching(/larger than 65536 bytes/);
  expect(await update(target, { suggestion: { second: 'y'.repeat(60_000) } })).toMatchObject({
    success: false,
    message,
  });
  expect(await update(target, { suggestion: { first: 'short' } })).toMatchObject({ success: true });
  expect((await read(target)).suggestion).toEqual({ first: 'short' });
});
