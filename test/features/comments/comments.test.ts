import { describe, expect, it } from 'vitest';
import {
  annotationsOf,
  editorHeaders,
  keyWithPrivateComments,
  type Target,
  userHeaders,
} from '../../support/annotations.ts';
import { failureOf, fresh, type Loose } from '../../support/answers.ts';
import { eventsOf } from '../../support/events.ts';
import { testServer } from '../../support/server.ts';

/** The clock advances with every read. */
const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time++ };
const server = testServer({ ROLES: 'api' }, { clock });
const annotations = annotationsOf(server);
const { annotated, call, ok, read } = annotations;

const say = (target: Target, ...commentData: object[]) =>
  ok('comments/add', { ...target, commentData });
const published = (target: Target, ...types: string[]) =>
  eventsOf(server, target.organizationId, types);
const typesOf = async (target: Target, pattern: RegExp) =>
  (await published(target)).map(({ type }) => type).filter((type) => pattern.test(type));

const grace = { userId: 'grace', name: 'Grace' };
const eve = { userId: 'eve', name: 'Eve' };

describe('commentannotations/comments', () => {
  it('adds comments with sequential ids, subscribes authors and mentioned users, and publishes the change', async () => {
    const target = await annotated();
    const tagged = { taggedUserContacts: [eve], triggerNotification: true };
    const seven = { commentId: 7, commentText: 'seven', from: grace };
    expect(await say(target, { commentText: 'one', from: grace, ...tagged }, seven)).toEqual([
      8, 7,
    ]);
    expect(await say(target, { commentText: 'next', from: grace })).toEqual([9]);
    const taken = await call('comments/add', { ...target, commentData: [seven] });
    expect(failureOf(taken).status).toBe('ALREADY_EXISTS');
    const annotation = await read(target);
    expect(annotation.subscribedUsers).toMatchObject({
      ada: { type: 'auto' },
      eve: { user: eve, type: 'auto' },
      grace: { user: grace, type: 'auto' },
    });
    const { organizationId } = target;
    expect(await annotations.ids({ organizationId, mentionedUserIds: ['eve'] })).toHaveLength(1);
    const got = await ok('comments/get', { ...target, commentIds: [9, 1] });
    expect(got.map(({ commentText }: Loose) => commentText)).toEqual(['Hello', 'next']);
    expect(await ok('comments/get', target)).toEqual(annotation.comments);
    const [event, last] = await published(target, 'comment.add');
    expect(event?.data).toMatchObject({
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

  it('treats absent fields of a comment as empty, and repeated values as no change', async () => {
    const target = await annotated();
    const [before] = await ok('comments/get', target);
    const { commentId, commentText, to, taggedUserContacts, attachments, recorders } = before;
    const { customList, commentHtml, isDraft, toOrganizationUserGroup } = before;
    const lists = { to, taggedUserContacts, attachments, recorders, customList };
    const same = { commentText, commentHtml, isDraft, toOrganizationUserGroup, ...lists };
    await ok('comments/update', { ...target, commentData: [{ commentId, ...same }] });
    expect(await ok('comments/get', target)).toEqual([before]);
    expect(await published(target, 'comment.update')).toEqual([]);
  });

  it('updates the given fields, and removes mentions that the text no longer has', async () => {
    const target = await annotated();
    await say(target, { commentText: 'stays', from: grace });
    const change = (comment: object) =>
      ok('comments/update', { ...target, commentData: [{ commentId: 1, ...comment }] });
    await change({ commentHtml: '<i>x</i>', taggedUserContacts: [eve] });
    expect((await read(target)).comments[0]).toMatchObject({
      ...{ status: 'updated', commentText: 'Hello', commentHtml: '<i>x</i>' },
      taggedUserContacts: [eve],
    });
    const { organizationId } = target;
    const mentioning = () => annotations.ids({ organizationId, mentionedUserIds: ['eve'] });
    expect(await mentioning()).toHaveLength(1);
    // The second changes nothing.
    for (const _ of [1, 2]) await change({ taggedUserContacts: [] });
    expect(await mentioning()).toEqual([]);
    expect((await read(target)).subscribedUsers.eve).toMatchObject({ type: 'auto' });
    const events = await published(target, 'comment.update');
    expect(events).toHaveLength(2);
    expect(events[0]?.data).toMatchObject({
      commentIds: [1],
      previous: { comments: [{ commentId: 1, status: 'added' }] },
    });
    const outcomes = await change({ commentId: 5, commentText: 'x' });
    expect(outcomes[5]).toMatchObject({ success: false, message: 'Comment does not exist.' });
    // Only comments that are changed ask for notifications.
    const missing = { commentId: 5, triggerNotification: true };
    await ok('comments/update', {
      ...target,
      commentData: [{ commentId: 1, commentText: 'Changed' }, missing],
    });
    const last = (await published(target, 'comment.update')).at(-1);
    expect(last?.data.triggerNotification).toBe(false);
  });

  it('deletes comments with their reactions, and publishes the change', async () => {
    const target = await annotated();
    await say(target, { commentText: 'stays', from: grace });
    const reaction = { ...target, commentId: 1, icon: '👍', userId: 'grace' };
    for (const commentId of [1, 2]) await ok('reactions/add', { ...reaction, commentId });
    const outcomes = await ok('comments/delete', { ...target, commentIds: [1, 3] });
    expect([outcomes[1].success, outcomes[3].success]).toEqual([true, false]);
    const left = [{ commentId: 2, reactionAnnotations: [{ icon: '👍' }] }];
    expect((await read(target)).comments).toMatchObject(left);
    const [event] = await published(target, 'comment.delete');
    expect(event?.data).toMatchObject({
      commentIds: [1],
      comments: left,
      previous: { comments: [{ commentId: 1 }] },
    });
    expect((await ok('reactions/add', reaction))[target.annotationId].success).toBe(false);
    expect(await say(target, { commentText: 'after', from: grace })).toEqual([3]);
  });

  it('adds all concurrent comments, each with its own id, also after the highest id that can be given', async () => {
    const target = await annotated();
    const add = () => say(target, { commentText: 'x', from: grace });
    const ids = (await Promise.all(Array.from({ length: 10 }, add))).flat();
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, index) => index + 2));
    expect((await read(target)).comments).toHaveLength(11);

    await say(target, { commentId: 2 ** 52, from: grace });
    const [next] = await say(target, { commentText: 'next', from: grace });
    expect(next).toBe(2 ** 52 + 1);
    const change = { commentId: next, commentText: 'changed' };
    await ok('comments/update', { ...target, commentData: [change] });
    const byId = { ...target, commentIds: [next] };
    expect(await ok('comments/get', byId)).toMatchObject([change]);
    expect(await ok('comments/delete', byId)).toMatchObject({ [next]: { success: true } });
  });

  it('refuses an annotation of another document, and comments over the limits', async () => {
    const target = await annotated();
    const elsewhere = await call('comments/get', { ...target, documentId: 'other' });
    expect(failureOf(elsewhere).reason).toBe('annotation_not_found');
    const tooMany = Array.from({ length: 1001 }, (_, n) => ({ userId: `u${n}` }));
    for (const comment of [
      { commentHtml: 'x'.repeat(65_537) },
      { taggedUserContacts: tooMany },
      { attachments: ['x'.repeat(70_000)] },
    ]) {
      const commentData = [{ from: grace, ...comment }];
      const refused = await call('comments/add', { ...target, commentData });
      expect(failureOf(refused).status).toBe('INVALID_ARGUMENT');
    }
    await say(target, { from: grace, commentHtml: 'x'.repeat(65_536) });
  });
});

describe('commentannotations/reactions', () => {
  it('form one reaction annotation for each icon (2.11), with each user once', async () => {
    const target = await annotated();
    const react = async (userId: string, icon = '👍', operation = 'add') =>
      (await ok(`reactions/${operation}`, { ...target, commentId: 1, icon, userId }))[
        target.annotationId
      ].success;
    for (const user of ['grace', 'grace', 'eve']) await react(user);
    await react('eve', '🎉');
    const [comment] = (await read(target)).comments;
    expect(comment.reactionAnnotations).toMatchObject([
      {
        ...{ type: 'reaction', icon: '👍', commentAnnotationId: target.annotationId },
        fromUsers: [{ from: { userId: 'grace' } }, { from: { userId: 'eve' } }],
      },
      { icon: '🎉', fromUsers: [{ from: { userId: 'eve' } }] },
    ]);
    expect(comment.reactionAnnotationIds).toHaveLength(2);
    expect(await react('eve', '🎉', 'delete')).toBe(true);
    expect(await react('eve', '🎉', 'delete')).toBe(false);
    expect((await read(target)).comments[0].reactionAnnotations).toHaveLength(1);
    expect(await typesOf(target, /reaction/)).toEqual([
      ...Array(3).fill('comment.reaction_add'),
      'comment.reaction_delete',
    ]);
  });

  it('finds the place of the annotation, and sets the user of a user token', async () => {
    const [target, userId] = [await annotated(), fresh('user')];
    const headers = await editorHeaders(server, target, userId);
    const anonymous = { annotationId: target.annotationId, commentId: 1, icon: '👍' };
    const reaction = { ...anonymous, userId: 'ada' };
    await ok('reactions/add', reaction, headers);
    const [comment] = (await read(target)).comments;
    expect(comment.reactionAnnotations[0].fromUsers[0].from.userId).toBe(userId);
    const stranger = await call('reactions/add', { ...reaction, annotationId: 'nobody' }, headers);
    expect(failureOf(stranger).status).toBe('PERMISSION_DENIED');
    const unnamed = await call('reactions/add', anonymous);
    expect(failureOf(unnamed).status).toBe('INVALID_ARGUMENT');
  });
});

it('subscriptions begin and end on request, and a mention does not subscribe a user again', async () => {
  const target = await annotated();
  const as = (userId: string) => ({ annotationId: target.annotationId, userId });
  await ok('subscribe', as('grace'));
  for (const _ of [1, 2]) await ok('unsubscribe', as('ada'));
  await say(target, { from: { userId: 'ada' }, taggedUserContacts: [eve] });
  const { subscribedUsers, unsubscribedUsers } = await read(target);
  expect(subscribedUsers).toMatchObject({ grace: { type: 'manual' }, eve: { type: 'auto' } });
  expect(subscribedUsers).not.toHaveProperty('ada');
  expect(unsubscribedUsers).toHaveProperty('ada');
  expect(await typesOf(target, /subscribe$/)).toEqual([
    'comment_annotation.subscribe',
    'comment_annotation.unsubscribe',
  ]);
});

describe('an annotation', () => {
  const unread = async (
    { annotationId: _, ...place }: Target,
    userId: string,
    own?: Record<string, string>,
  ) => (await ok('count/get', { ...place, userId }, own))[place.documentId].unread;

  it("is unread from another user's last comment until it is read", async () => {
    const target = await annotated();
    const counts = async () => [await unread(target, 'ada'), await unread(target, 'grace')];
    expect(await counts()).toEqual([0, 1]);
    await ok('read', { ...target, userId: 'grace' });
    expect(await counts()).toEqual([0, 0]);
    await say(target, { commentText: 'More', from: { userId: 'linus' } });
    expect(await counts()).toEqual([1, 1]);
    // Deleting the new comment makes Ada's the last one again.
    await ok('comments/delete', { ...target, commentIds: [2] });
    expect(await counts()).toEqual([0, 0]);
  });

  it('that is hidden looks missing where its document is not named', async () => {
    const headers = await keyWithPrivateComments(server);
    const hidden = { visibility: { type: 'restricted', userIds: ['grace'] } };
    const { annotationId, organizationId, documentId } = await annotated(hidden, headers);
    for (const accessRole of ['viewer', 'editor']) {
      const role = { type: 'document', id: documentId, organizationId, accessRole };
      const linus = await userHeaders(server, `linus-${accessRole}`, [role], headers);
      for (const operation of ['subscribe', 'unsubscribe', 'read', 'reactions/add']) {
        const answers = [annotationId, fresh('annotation')].map(async (id) => {
          const data = { annotationId: id, commentId: 1, icon: '👍' };
          return (await call(operation, data, linus)).body;
        });
        const [ofHidden, ofMissing] = await Promise.all(answers);
        expect(ofHidden).toEqual(ofMissing);
      }
    }
  });
});
