import { describe, expect, it } from 'vitest';
import { annotationsOf, privateKey, userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh } from '../../support/answers.ts';
import { eventsOf } from '../../support/events.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
const comments = annotationsOf(server);

async function annotated(annotation: object = {}, headers = server.keyHeaders) {
  const place = comments.place();
  const annotationId = fresh('annotation');
  dataOf(await comments.add(place, [{ annotationId, ...annotation }], {}, headers));
  return { ...place, annotationId };
}

type Target = Awaited<ReturnType<typeof annotated>>;

const update = (
  { annotationId, ...place }: Target,
  updatedData: object,
  headers = server.keyHeaders,
) => comments.call('update', { ...place, annotationIds: [annotationId], updatedData }, headers);

const read = async ({ annotationId }: Target) =>
  (await comments.get({ annotationIds: [annotationId] }))[0];

const typesOf = async ({ organizationId }: Target) =>
  (await eventsOf(server, organizationId))
    .map((event) => event.type)
    .filter((type) => type.startsWith('comment'))
    .slice(1);

const editorOf = ({ organizationId, documentId }: Target, userId: string) =>
  userHeaders(server, userId, [{ type: 'document', id: documentId, organizationId }]);

describe('commentannotations/update', () => {
  it('resolves on a terminal status, and reopens on any other', async () => {
    const target = await annotated();
    const { organizationId } = target;
    const before = await read(target);
    const resolved = { status: { id: 'RESOLVED' }, resolvedByUserId: 'grace' };
    expect(dataOf(await update(target, resolved))).toEqual({
      [target.annotationId]: {
        success: true,
        annotationId: target.annotationId,
        commentIds: [1],
        message: 'Annotation updated.',
      },
    });
    const after = await read(target);
    expect(after).toMatchObject({
      status: { id: 'RESOLVED', type: 'terminal' },
      resolvedByUserId: 'grace',
    });
    expect(after.lastUpdated).toBeGreaterThanOrEqual(before.lastUpdated);
    expect(await comments.ids({ organizationId, resolvedBy: 'grace' })).toHaveLength(1);
    const [published] = await eventsOf(server, organizationId, [
      'comment_annotation.status_change',
    ]);
    expect(published?.data).toMatchObject({ ...after, previous: before });
    dataOf(await update(target, { status: { id: 'IN_PROGRESS' } }));
    expect(await read(target)).not.toHaveProperty('resolvedByUserId');
    expect(await comments.ids({ organizationId, resolvedBy: 'grace' })).toEqual([]);
    dataOf(await update(target, { status: { id: 'done', name: 'Done', type: 'terminal' } }));
    expect((await read(target)).status).toEqual({ id: 'done', name: 'Done', type: 'terminal' });
  });

  it('publishes the resolving user with the stored fields', async () => {
    const target = await annotated();
    const { organizationId } = target;
    const alan = { userId: fresh('user'), name: 'Alan', email: 'alan@example.com' };
    dataOf(await server.call('/v1/users/add', { organizationId, users: [alan] }));
    dataOf(await update(target, { status: { id: 'RESOLVED' }, resolvedByUserId: alan.userId }));
    const type = 'comment_annotation.status_change';
    const [published] = await eventsOf(server, organizationId, [type]);
    expect(published?.data).toMatchObject({ actionUser: alan });
  });

  it('publishes each change by its type, and nothing without a change', async () => {
    const target = await annotated({ type: 'suggestion', suggestion: { text: 'Less' } });
    dataOf(await update(target, { assignedTo: { userId: 'grace' }, priority: { id: 'P1' } }));
    dataOf(await update(target, { assignedTo: { userId: 'grace' } }));
    dataOf(await update(target, { assignedTo: null }));
    dataOf(await update(target, { suggestion: { status: 'accepted' } }));
    dataOf(await update(target, { status: { id: 'REJECTED', type: 'terminal' } }));
    dataOf(await update(target, { context: { access: { team: ['red'] } } }));
    dataOf(await update(target, { customList: [1] }));
    dataOf(await update(target, { location: { id: 'three' } }));
    expect(await typesOf(target)).toEqual([
      'comment_annotation.assign',
      'comment_annotation.priority_change',
      'comment_annotation.assign',
      'comment_annotation.suggestion_accept',
      'comment_annotation.status_change',
      'comment_annotation.reject',
      'comment_annotation.access_mode_change',
      'comment_annotation.custom_list_change',
      'comment.update',
    ]);
    const { organizationId } = target;
    expect(await comments.ids({ organizationId, locationIds: ['three'] })).toHaveLength(1);
    expect((await read(target)).suggestion).toEqual({ text: 'Less', status: 'accepted' });
  });

  it('changes the annotations that the filters find, and requires a filter', async () => {
    const target = await annotated();
    const { organizationId, documentId } = target;
    dataOf(await comments.add({ organizationId, documentId }, [{}, {}]));
    const updatedData = { priority: { id: 'P2' } };
    const filters = { organizationId, statusIds: ['OPEN'] };
    const found = dataOf(await comments.call('update', { ...filters, updatedData }));
    expect(Object.keys(found)).toHaveLength(3);
    for (const none of [{}, { documentIds: [] }, { agentSuggestions: false }]) {
      const all = await comments.call('update', { organizationId, ...none, updatedData });
      expect(failureOf(all).status).toBe('INVALID_ARGUMENT');
    }
    const unknown = { ...filters, annotationIds: ['nobody'], updatedData };
    expect(dataOf(await comments.call('update', unknown)).nobody.success).toBe(false);
  });

  it('lets editors change visible annotations, but only the author change the visibility', async () => {
    const headers = await privateKey(server);
    expect(headers).toBeDefined();
    const target = await annotated();
    const [ada, grace] = [await editorOf(target, 'ada'), await editorOf(target, fresh('grace'))];
    const resolved = { status: { id: 'RESOLVED' }, resolvedByUserId: 'somebody else' };
    dataOf(await update(target, resolved, ada));
    expect((await read(target)).resolvedByUserId).toBe('ada');
    const context = { context: { access: { team: ['red'] } } };
    const refused = dataOf(await update(target, context, grace));
    expect(refused[target.annotationId].success).toBe(false);
    dataOf(await update(target, context, ada));
    const unseen = dataOf(await update(target, { priority: { id: 'P1' } }, grace));
    expect(unseen[target.annotationId].message).toBe('Annotation does not exist.');
    const secret = { visibility: { type: 'restricted' } };
    expect(failureOf(await update(target, secret)).status).toBe('FAILED_PRECONDITION');
  });

  it('changes no document that the user may only view, through a folder that the user may edit', async () => {
    const { organizationId, documentId, annotationId } = await annotated();
    const inFolder = { organizationId, folderId: 'folder' };
    const ask = (path: string, data: object) =>
      server.call(`/v2/organizations/${path}`, { organizationId, ...data });
    const folders = [{ folderId: inFolder.folderId }];
    dataOf(await ask('folders/add', { folders }));
    const documents = [{ documentId: 'open' }];
    dataOf(await ask('documents/add', { folderId: inFolder.folderId, documents }));
    dataOf(await ask('documents/move', { documentIds: [documentId], folderId: 'folder' }));
    const open = { organizationId, documentId: 'open' };
    const other = fresh('annotation');
    dataOf(await comments.add(open, [{ annotationId: other }]));
    const editor = await userHeaders(server, fresh('editor'), [
      { type: 'folder', id: 'folder', organizationId },
      { type: 'document', id: documentId, organizationId, accessRole: 'viewer' },
    ]);
    expect((await comments.ids(inFolder, editor)).sort()).toEqual([annotationId, other].sort());
    const change = { ...inFolder, updatedData: { priority: { id: 'P1' } } };
    const changed = dataOf(await comments.call('update', change, editor));
    expect(Object.keys(changed)).toEqual([other]);
  });
});

describe('commentannotations/delete', () => {
  it('deletes and publishes it, and one of a concurrent update and deletion succeeds', async () => {
    const target = await annotated();
    const { organizationId, documentId, annotationId } = target;
    const deletion = { organizationId, documentId, annotationIds: [annotationId] };
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, (_, n) => update(target, { priority: { id: `P${n}` } })),
      comments.call('delete', deletion),
      comments.call('delete', deletion),
    ]);
    for (const answer of answers) dataOf(answer);
    expect(await read(target)).toBeNull();
    const published = await eventsOf(server, organizationId, ['comment_annotation.delete']);
    expect(published).toHaveLength(1);
    expect(published[0]?.data).toMatchObject({ annotationId, comments: [{ commentId: 1 }] });
    expect(dataOf(await update(target, { priority: { id: 'P' } }))[annotationId].success).toBe(
      false,
    );
  });

  it('lets users delete only their own annotations', async () => {
    const target = await annotated();
    const { organizationId, documentId, annotationId } = target;
    const deletion = { organizationId, documentId, annotationIds: [annotationId] };
    const grace = await editorOf(target, fresh('grace'));
    const refused = dataOf(await comments.call('delete', deletion, grace));
    expect(refused[annotationId].success).toBe(false);
    const ada = await editorOf(target, 'ada');
    expect(dataOf(await comments.call('delete', deletion, ada))[annotationId].success).toBe(true);
  });
});

describe('commentannotations/count/get', () => {
  it('counts by document, with zero for documents without annotations', async () => {
    const { organizationId, documentId } = await annotated();
    dataOf(await comments.add({ organizationId, documentId }, [{ status: { id: 'RESOLVED' } }]));
    const documents = [{ documentId: 'none' }];
    dataOf(await server.call('/v2/organizations/documents/add', { organizationId, documents }));
    for (const [query, expected] of [
      [{}, { [documentId]: { total: 2, unread: 2 } }],
      [{ userId: 'ada' }, { [documentId]: { total: 2, unread: 0 } }],
      [{ statusIds: ['OPEN'] }, { [documentId]: { total: 1, unread: 1 } }],
      [
        { userId: 'grace', documentIds: [documentId, 'none'] },
        { [documentId]: { total: 2, unread: 2 }, none: { total: 0, unread: 0 } },
      ],
    ] as const) {
      const counted = await comments.call('count/get', { organizationId, ...query });
      expect(dataOf(counted), JSON.stringify(query)).toEqual(expected);
    }
  });
});

describe('an API key that names unknown places', () => {
  it('gets the unknown ids, and the call counts or changes nothing', async () => {
    const { organizationId, documentId, annotationId } = await annotated();
    const documentIds = [documentId, 'nowhere', 'lost'];
    const updatedData = { status: { id: 'RESOLVED' } };
    const status = async () =>
      (await comments.get({ organizationId, annotationIds: [annotationId] }))[0].status.id;
    for (const [operation, more] of [
      ['count/get', {}],
      ['update', { updatedData }],
      ['delete', {}],
    ] as const) {
      const { body } = await comments.call(operation, { organizationId, documentIds, ...more });
      expect(body.error, operation).toMatchObject({
        status: 'INVALID_ARGUMENT',
        details: { reason: 'document_not_found', unknownDocumentIds: ['nowhere', 'lost'] },
      });
    }
    expect(await status()).toBe('OPEN');
    const folder = { organizationId, folderId: 'nowhere' };
    expect(failureOf(await comments.call('count/get', folder)).reason).toBe('folder_not_found');
  });
});
