import { describe, expect, it } from 'vitest';
import { annotationsOf, userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh } from '../../support/answers.ts';
import { eventsOf } from '../../support/events.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
const annotations = annotationsOf(server);

async function annotated() {
  const place = annotations.place();
  const annotationId = fresh('annotation');
  dataOf(await annotations.add(place, [{ annotationId }]));
  return { ...place, annotationId };
}

type Target = Awaited<ReturnType<typeof annotated>>;

const call = (operation: string, data: object, headers = server.keyHeaders) =>
  annotations.call(operation, data, headers);
const read = async ({ annotationId }: Target) =>
  (await annotations.get({ annotationIds: [annotationId] }))[0];
const editorOf = ({ organizationId, documentId }: Target, userId: string) =>
  userHeaders(server, userId, [{ type: 'document', id: documentId, organizationId }]);

const grace = { userId: 'grace', name: 'Grace' };
const eve = { userId: 'eve', name: 'Eve' };

describe('commentannotations/comments', () => {
  it('adds comments with sequential ids, subscribes authors and mentioned users, and publishes the change', async () => {
    const target = await annotated();
    const commentData = [
      { commentText: 'one', from: grace, taggedUserContacts: [eve], triggerNotification: true },
      { commentId: 7, commentText: 'seven', from: grace },
    ];
    expect(dataOf(await call('comments/add', { ...target, commentData }))).toEqual([8, 7]);
    const next = { ...target, commentData: [{ commentText: 'next', from: grace }] };
    expect(dataOf(await call('comments/add', next))).toEqual([9]);
    const taken = { ...target, commentData: [{ commentId: 7, from: grace }] };
    expect(failureOf(await call('comments/add', taken)).status).toBe('ALREADY_EXISTS');
    const annotation = await read(target);
    expect(annotation.subscribedUsers).toMatchObject({
      ada: { type: 'auto' },
      eve: { user: eve, type: 'auto' },
      grace: { user: grace, type: 'auto' },
    });
    const { organizationId } = target;
    expect(await annotations.ids({ organizationId, mentionedUserIds: ['eve'] })).toHaveLength(1);
    const got = dataOf(await call('comments/get', { ...target, commentIds: [9, 1] }));
    expect(got.map((comment: { commentText: string }) => comment.commentText)).toEqual([
      'Hello',
      'next',
    ]);
    expect(dataOf(await call('comments/get', target))).toEqual(annotation.comments);
    const [published, last] = await eventsOf(server, organizationId, ['comment.add']);
    expect(published?.data).toMatchObject({
      commentIds: [8, 7],
      actionUser: grace,
      triggerNotification: true,
    });
    expect(last?.data).toEqual({
      ...annotation,
      commentIds: [9],
      actionUser: grace,
      triggerNotification: false,
    });
  });

  it('updates the given fields, and removes mentions that the text no longer has', async () => {
    const target = await annotated();
    const { organizationId } = target;
    const change = (comment: object) =>
      call('comments/update', { ...target, commentData: [{ commentId: 1, ...comment }] });
    dataOf(await change({ commentHtml: '<i>x</i>', taggedUserContacts: [eve] }));
    expect((await read(target)).comments[0]).toMatchObject({
      status: 'updated',
      commentText: 'Hello',
      commentHtml: '<i>x</i>',
      taggedUserContacts: [eve],
    });
    const mentioned = { organizationId, mentionedUserIds: ['eve'] };
    expect(await annotations.ids(mentioned)).toHaveLength(1);
    dataOf(await change({ taggedUserContacts: [] }));
    dataOf(await change({ taggedUserContacts: [] }));
    expect(await annotations.ids(mentioned)).toEqual([]);
    expect((await read(target)).subscribedUsers.eve).toMatchObject({ type: 'auto' });
    const published = await eventsOf(server, organizationId, ['comment.update']);
    expect(published).toHaveLength(2);
    expect(published[0]?.data.previous.comments).toMatchObject([{ commentId: 1, status: 'added' }]);
    const outcomes = dataOf(await change({ commentId: 5, commentText: 'x' }));
    expect(outcomes['5']).toMatchObject({ success: false, message: 'Comment does not exist.' });
  });

  it('deletes comments with their reactions, and publishes the change', async () => {
    const target = await annotated();
    const reaction = { ...target, commentId: 1, icon: '👍', userId: 'grace' };
    dataOf(await call('reactions/add', reaction));
    const outcomes = dataOf(await call('comments/delete', { ...target, commentIds: [1, 2] }));
    expect(outcomes['1']).toMatchObject({ success: true });
    expect(outcomes['2']).toMatchObject({ success: false });
    expect((await read(target)).comments).toEqual([]);
    const [published] = await eventsOf(server, target.organizationId, ['comment.delete']);
    expect(published?.data.previous.comments).toMatchObject([{ commentId: 1 }]);
    const late = dataOf(await call('reactions/add', reaction));
    expect(late[target.annotationId]).toMatchObject({ success: false });
    const commentData = [{ commentText: 'after', from: grace }];
    expect(dataOf(await call('comments/add', { ...target, commentData }))).toEqual([2]);
  });

  it('adds all concurrent comments, each with its own id', async () => {
    const target = await annotated();
    const commentData = [{ commentText: 'x', from: grace }];
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('comments/add', { ...target, commentData })),
    );
    const ids = answers.flatMap((answer): number[] => dataOf(answer)).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
    expect((await read(target)).comments).toHaveLength(21);
  });

  it('lets users write as themselves, and change only their own comments', async () => {
    const target = await annotated();
    const userId = fresh('user');
    const headers = await editorOf(target, userId);
    const commentData = [{ commentText: 'mine', from: { userId: 'ada' } }];
    expect(dataOf(await call('comments/add', { ...target, commentData }, headers))).toEqual([2]);
    expect((await read(target)).comments[1].from.userId).toBe(userId);
    const both = { ...target, commentIds: [1, 2] };
    const change = { ...target, commentData: [{ commentId: 1, commentText: 'forged' }] };
    const refused = dataOf(await call('comments/update', change, headers));
    expect(refused['1']).toMatchObject({ success: false });
    const deleted = dataOf(await call('comments/delete', both, headers));
    expect([deleted['1'].success, deleted['2'].success]).toEqual([false, true]);
    const viewer = await userHeaders(server, fresh('user'), []);
    const denied = await call('comments/add', { ...target, commentData }, viewer);
    expect(failureOf(denied).status).toBe('PERMISSION_DENIED');
    expect(dataOf(await call('comments/get', target, viewer))).toHaveLength(1);
  });

  it('refuses an annotation of another document', async () => {
    const elsewhere = { ...(await annotated()), documentId: 'other' };
    const answer = await call('comments/get', elsewhere);
    expect(failureOf(answer).reason).toBe('annotation_not_found');
  });

  it('refuses comments over the limits', async () => {
    const target = await annotated();
    const add = async (comment: object) => {
      const commentData = [{ from: grace, ...comment }];
      return failureOf(await call('comments/add', { ...target, commentData })).status;
    };
    expect(await add({ commentHtml: 'x'.repeat(65_537) })).toBe('INVALID_ARGUMENT');
    const tooMany = Array.from({ length: 1001 }, (_, n) => ({ userId: `u${n}` }));
    expect(await add({ taggedUserContacts: tooMany })).toBe('INVALID_ARGUMENT');
    expect(await add({ attachments: ['x'.repeat(70_000)] })).toBe('INVALID_ARGUMENT');
    expect(await add({ commentHtml: 'x'.repeat(65_536) })).toBeUndefined();
  });
});

describe('commentannotations/reactions', () => {
  it('form one reaction annotation for each icon (2.11), with each user once', async () => {
    const target = await annotated();
    const react = (userId: string, icon = '👍', operation = 'add') =>
      call(`reactions/${operation}`, { ...target, commentId: 1, icon, userId });
    for (const user of ['grace', 'grace', 'eve']) dataOf(await react(user));
    dataOf(await react('eve', '🎉'));
    const [comment] = (await read(target)).comments;
    expect(comment.reactionAnnotations).toMatchObject([
      {
        type: 'reaction',
        icon: '👍',
        commentAnnotationId: target.annotationId,
        fromUsers: [{ from: { userId: 'grace' } }, { from: { userId: 'eve' } }],
      },
      { icon: '🎉', fromUsers: [{ from: { userId: 'eve' } }] },
    ]);
    expect(comment.reactionAnnotationIds).toHaveLength(2);
    dataOf(await react('eve', '🎉', 'delete'));
    const again = dataOf(await react('eve', '🎉', 'delete'));
    expect(again[target.annotationId].success).toBe(false);
    expect((await read(target)).comments[0].reactionAnnotations).toHaveLength(1);
    const types = (await eventsOf(server, target.organizationId)).map((event) => event.type);
    expect(types.filter((type) => type.startsWith('comment.reaction'))).toEqual([
      'comment.reaction_add',
      'comment.reaction_add',
      'comment.reaction_add',
      'comment.reaction_delete',
    ]);
  });

  it('finds the place of the annotation, and sets the user of a user token', async () => {
    const target = await annotated();
    const userId = fresh('user');
    const headers = await editorOf(target, userId);
    const reaction = {
      annotationId: target.annotationId,
      commentId: 1,
      icon: '👍',
      userId: 'ada',
    };
    dataOf(await call('reactions/add', reaction, headers));
    const [comment] = (await read(target)).comments;
    expect(comment.reactionAnnotations[0].fromUsers[0].from.userId).toBe(userId);
    const stranger = { ...reaction, annotationId: 'nobody' };
    expect(failureOf(await call('reactions/add', stranger, headers)).status).toBe(
      'PERMISSION_DENIED',
    );
    const { userId: _, ...anonymous } = reaction;
    expect(failureOf(await call('reactions/add', anonymous)).status).toBe('INVALID_ARGUMENT');
  });
});

describe('subscriptions and reading', () => {
  it('subscribes and unsubscribes, and a mention does not subscribe a user again', async () => {
    const target = await annotated();
    const as = (userId: string) => ({ annotationId: target.annotationId, userId });
    dataOf(await call('subscribe', as('grace')));
    dataOf(await call('unsubscribe', as('ada')));
    dataOf(await call('unsubscribe', as('ada')));
    const commentData = [{ from: { userId: 'ada' }, taggedUserContacts: [eve] }];
    dataOf(await call('comments/add', { ...target, commentData }));
    const annotation = await read(target);
    expect(annotation.subscribedUsers).toMatchObject({
      grace: { type: 'manual' },
      eve: { type: 'auto' },
    });
    expect(annotation.subscribedUsers).not.toHaveProperty('ada');
    expect(annotation.unsubscribedUsers).toHaveProperty('ada');
    const types = (await eventsOf(server, target.organizationId)).map((event) => event.type);
    expect(types.filter((type) => type.endsWith('subscribe'))).toEqual([
      'comment_annotation.subscribe',
      'comment_annotation.unsubscribe',
    ]);
  });
});
