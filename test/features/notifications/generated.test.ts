import { describe, expect, it } from 'vitest';
import { mailReader } from '../../../src/features/email/mail-reader.ts';
import { notificationReader } from '../../../src/features/notifications/generate/notification-reader.ts';
import type { Transaction } from '../../../src/platform/database/database.ts';
import type { LoggedEvent } from '../../../src/platform/events/logged-events.ts';
import { userHeaders } from '../../support/annotations.ts';
import { failureOf, fresh } from '../../support/answers.ts';
import { allEvents, storedEvents } from '../../support/events.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import {
  commentBy,
  headlines,
  mentioning,
  notifyingKeyPerTest,
  user,
} from '../../support/notifying-key.ts';
import { testServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };

const server = testServer({}, { clock });
const key = notifyingKeyPerTest(server);

const handle = (events: LoggedEvent[], isLate?: boolean) => (tx: Transaction) =>
  notificationReader.handle(server.app.services, tx, events, isLate);

/** Enables the service again, and hands all events of the key to the reader together. */
async function readTogether(): Promise<void> {
  await key.settled();
  await key.configure({});
  await server.app.services.db.transaction(handle(await storedEvents(server, key)));
}

const newest = async (userId: string) => (await key.inbox(userId))[0];
const headlinesOf = async (userId: string) => headlines(await key.inbox(userId, { order: 'asc' }));

describe('a generated notification', () => {
  it('has the shape of 2.12, with the annotation as its source, and is published like this', async () => {
    const ada = { userId: 'ada', name: 'Ada', email: 'ada@example.com' };
    const text = '<b>Look</b> at this, @Grace';
    const location = { id: 7, page: 'top' };
    const comment = { ...commentBy('ada', mentioning('grace')), from: ada, commentText: text };
    await key.begin([comment], { location });
    await key.settled();
    const [annotation] = await key.post('/v2/commentannotations/get', key.place);
    const { organizationId, documentId } = key.place;
    const metadata = { apiKey: key.tenantId, organizationId, documentId };
    const notification = {
      id: expect.stringMatching(/-mentioned$/),
      notificationSource: 'comment',
      notificationSourceData: annotation,
      actionUser: ada,
      displayHeadlineMessageTemplate: '{actionUser} mentioned you in a {kind}',
      displayHeadlineMessageTemplateData: {
        actionUser: ada,
        kind: 'comment',
        status: 'Open',
        priority: 'none',
      },
      displayHeadlineMessage: 'Ada mentioned you in a comment',
      displayBodyMessage: text,
      metadata,
      notifyUsers: { grace: true },
      notifyUsersByUserId: { grace: true },
      timestamp: clock.time,
      location,
      locationId: '7',
    };
    expect(await key.inbox('grace')).toEqual([{ ...notification, isRead: false }]);
    expect(await key.inbox('grace', { locationId: 7 })).toHaveLength(1);
    expect(await key.inbox('ada')).toEqual([]);
    const published = await allEvents(server, { types: ['notification.add'] }, key.headers);
    expect(published).toMatchObject([{ data: notification, metadata }]);
    expect(published[0]?.data).toEqual(notification);
  });

  it('has the strongest reason of each recipient, is shared by those with the same, and passes over those who unsubscribed', async () => {
    await key.begin([commentBy('ada', mentioning('linus'))], { assignedTo: user('alan') });
    await key.settled();
    expect(await headlinesOf('alan')).toEqual(['ada assigned a comment to you']);
    expect(await headlinesOf('linus')).toEqual(['ada mentioned you in a comment']);
    const added = async (comment: object) => {
      const before = (await key.all()).length;
      await key.reply(comment);
      await key.settled();
      const all = (await key.all()).slice(before);
      return all.map((one) => [one.displayHeadlineMessage, Object.keys(one.notifyUsers)]).sort();
    };
    expect(await added(commentBy('linus', mentioning('grace', 'guido')))).toEqual([
      ['linus mentioned you in a comment', ['grace', 'guido']],
      ['linus replied to a comment', ['ada']],
      ['linus replied to a comment', ['alan']],
    ]);
    for (const userId of ['linus', 'guido']) {
      await key.post('/v2/commentannotations/unsubscribe', { ...key.target, userId });
    }
    expect(await added(commentBy('grace', mentioning('alan', 'grace')))).toEqual([
      ['grace mentioned you in a comment', ['alan']],
      ['grace replied to a comment', ['ada']],
    ]);
  });

  it('reaches the members of tagged groups, each once', async () => {
    const { organizationId } = key.place;
    const users = ['m1', 'm2', 'm3', 'ada'].map(user);
    await key.post('/v1/users/add', { organizationId, users });
    for (const [organizationUserGroupId, ...userIds] of [
      ['team', 'm1', 'm2', 'ada'],
      ['more', 'm2', 'm3'],
    ]) {
      const group = { organizationId, organizationUserGroupId, userIds };
      await key.post('/v1/organizations/usergroups/users/add', group);
    }
    const groups = [{ organizationUserGroupId: 'team' }, 'more', { groupId: 'none' }, 5, null];
    await key.begin([commentBy('ada', { ...mentioning('m1'), toOrganizationUserGroup: groups })]);
    await key.settled();
    const [{ notifyUsers }, ...others] = await key.all();
    expect(notifyUsers).toEqual({ m1: true, m2: true, m3: true });
    expect(others).toEqual([]);
    // An edit mentions only the group that the comment did not mention before.
    const edit = {
      commentId: 1,
      triggerNotification: true,
      toOrganizationUserGroup: ['team', 'late'],
    };
    const late = { organizationId, organizationUserGroupId: 'late', userIds: ['m3'] };
    await key.post('/v1/organizations/usergroups/users/add', late);
    await key.post('/v2/commentannotations/comments/update', {
      ...key.target,
      commentData: [edit],
    });
    await key.settled();
    const mentioned = headlines(await key.inbox('m3')).filter((each) => each.includes('mentioned'));
    expect(mentioned).toHaveLength(2);
    expect(
      headlines(await key.inbox('m2')).filter((each) => each.includes('mentioned')),
    ).toHaveLength(1);
  });

  it('of an edit reports a mention only to users whom the comment did not mention before', async () => {
    await key.begin([commentBy('ada', mentioning('grace'))]);
    const edit = { commentId: 1, triggerNotification: true, ...mentioning('grace', 'linus') };
    const edited = { ...key.target, commentData: [edit] };
    await key.post('/v2/commentannotations/comments/update', edited);
    await key.settled();
    expect((await newest('grace')).displayHeadlineMessage).toContain('updated a comment');
    expect((await newest('linus')).displayHeadlineMessage).toContain('mentioned you in a comment');
  });

  it('is made for each kind of change', async () => {
    await key.begin([commentBy('ada')]);
    for (const updatedData of [
      { assignedTo: user('grace') },
      { status: { id: 'RESOLVED' }, resolvedByUserId: 'linus' },
      { status: { id: 'APPROVED' } },
      { priority: { id: 'P1', name: 'High' } },
      { customList: [1] },
      { suggestion: { status: 'accepted' } },
      { suggestion: { status: 'rejected' } },
    ]) {
      await key.update(updatedData);
    }
    await key.settled();
    expect((await headlinesOf('grace'))[0]).toBe('A comment was assigned to you');
    expect(await headlinesOf('ada')).toEqual([
      'A comment was assigned to grace',
      'linus changed the status of a comment to Resolved',
      'A comment was approved',
      'The priority of a comment was changed to High',
      'The custom list of a comment was changed',
      'A suggestion was accepted',
      'A suggestion was rejected',
    ]);
  });

  it('is made for a reaction, a reply and an edit by a user', async () => {
    await key.begin([commentBy('ada')]);
    const onOrganization = { type: 'organization', id: key.place.organizationId };
    const asGrace = await userHeaders(server, 'grace', [onOrganization], key.headers);
    const reaction = { ...key.target, commentId: 1, icon: '🎉' };
    await key.post('/v2/commentannotations/reactions/add', reaction, asGrace);
    const commentData = [{ commentText: 'Well done' }];
    await key.post('/v2/commentannotations/comments/add', { ...key.target, commentData }, asGrace);
    const edit = { ...key.target, commentData: [{ commentId: 2, commentText: 'Very well done' }] };
    await key.post('/v2/commentannotations/comments/update', edit, asGrace);
    await key.settled();
    expect(await headlinesOf('ada')).toEqual([
      'grace reacted to a comment with 🎉',
      'grace replied to a comment',
      'grace updated a comment',
    ]);
    expect((await newest('ada')).displayBodyMessage).toBe('Very well done');
    expect(await key.inbox('grace')).toEqual([]);
  });

  it('cuts long comments between words', async () => {
    await key.begin([
      commentBy('ada', { ...mentioning('grace'), commentText: '🦆duck '.repeat(1000) }),
    ]);
    await key.settled();
    const { displayBodyMessage } = await newest('grace');
    expect(displayBodyMessage).toMatch(/^(🦆duck )+🦆duck…$/u);
    expect(displayBodyMessage.length).toBeLessThanOrEqual(500);
  });

  it('has at most 1,000 recipients, and the others get another one', async () => {
    const people = Array.from({ length: 1_100 }, (_, n) => `u-${n}`);
    await key.begin([
      commentBy('ada', mentioning(...people.slice(0, 600))),
      commentBy('ada', mentioning(...people.slice(600))),
    ]);
    await key.settled();
    const sizes = (await key.all()).map((one) => Object.keys(one.notifyUsers).length);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([1000, 100]);
    expect(await key.inbox('u-1099')).toHaveLength(1);
  });
});

it('events with large audiences are read few at a time, also for mails', async () => {
  const { organizationId } = key.place;
  const people = Array.from({ length: 1_000 }, (_, n) => user(`member-${n}`));
  await key.post('/v1/users/add', { organizationId, users: people });
  await key.post('/v1/organizations/usergroups/users/add', {
    ...{ organizationId, organizationUserGroupId: 'everybody' },
    userIds: people.map(({ userId }) => userId),
  });
  await key.begin([commentBy('ada', { toOrganizationUserGroup: ['everybody'] })]);
  const [ofGroup] = await storedEvents(server, { ...key, types: ['comment_annotation.add'] });
  if (!ofGroup) throw new Error('There is no event.');
  const small = { ...ofGroup, type: 'user.delete' };
  const countAtOnce = (events: LoggedEvent[]) =>
    server.app.services.db.transaction(async (tx) => [
      await notificationReader.limitBatch?.(tx, events),
      await mailReader.limitBatch?.(tx, events),
    ]);
  // The author is subscribed, so each audience has 1,001 members.
  expect(await countAtOnce([small, ...Array(20).fill(ofGroup)])).toEqual([5, 5]);
  const larger = {
    ...(ofGroup.data as object),
    subscribedUsers: Object.fromEntries(
      Array.from({ length: 5_001 }, (_, n) => [n, { user: user(`${n}`) }]),
    ),
  };
  expect(await countAtOnce([{ ...ofGroup, data: larger }, small])).toEqual([1, 1]);
});

describe('no notification is made', () => {
  it('without triggerNotification, of a draft, or while the service or the trigger is disabled', async () => {
    await key.begin([commentBy('ada', { ...mentioning('grace'), triggerNotification: false })]);
    await key.reply(commentBy('linus', { ...mentioning('grace'), isDraft: true }));
    await key.configure({ triggers: { comment: { newlyAdded: false } } });
    await key.begin([commentBy('ada', mentioning('grace'))], { annotationId: fresh('thread') });
    await key.settled();
    expect(await key.all()).toEqual([]);
    await key.reply(commentBy('linus'));
    await key.settled();
    expect(await key.all()).toHaveLength(1);
    await key.configure({ useNotificationService: false });
    await key.reply(commentBy('linus'));
    await key.settled();
    expect(await key.all()).toHaveLength(1);
  });

  it("for the status change of an answer, unless the answer's own trigger is disabled", async () => {
    await key.begin([commentBy('ada')]);
    await key.configure({ triggers: { comment: { rejected: false } } });
    await key.update({ status: { id: 'ACCEPTED' } });
    await key.update({ status: { id: 'REJECTED' } });
    await key.settled();
    expect(await headlinesOf('ada')).toEqual([
      'A comment was accepted',
      'The status of a comment was changed to REJECTED',
    ]);
  });

  it('for a deleted author or assignee, also of another organization, whom an old thread does not create again', async () => {
    const { organizationId } = key.place;
    const elsewhere = { organizationId: 'elsewhere' };
    await key.post('/v1/users/add', { organizationId, users: ['ada', 'grace'].map(user) });
    await key.post('/v1/users/add', { ...elsewhere, users: [user('guido')] });
    await key.begin([commentBy('ada'), commentBy('guido')], { assignedTo: user('grace') });
    const own = await userHeaders(server, 'ada', [], key.headers);
    expect(await key.inbox('ada', {}, own)).toEqual([]);
    await key.settled();
    await key.post('/v2/users/delete', { organizationId, userIds: ['ada', 'grace'] });
    await key.post('/v2/users/delete', { ...elsewhere, userIds: ['guido'] });
    const before = headlines(await key.all());
    await key.reply(commentBy('linus'));
    await key.update({ assignedTo: user('grace') });
    await key.settled();
    expect(headlines(await key.all())).toEqual(before);
    const refused = await server.call('/v2/notifications/get', key.place, own);
    expect(failureOf(refused).status).toBe('PERMISSION_DENIED');
    await key.update({ assignedTo: user('linus') });
    await key.update({ assignedTo: user('grace') });
    await key.settled();
    expect(await headlinesOf('grace')).toEqual(['A comment was assigned to you']);
  });

  it('for a user who was deleted after the event, and does not come back', async () => {
    const { organizationId } = key.place;
    await key.configure({ useNotificationService: false });
    await key.post('/v1/users/add', { organizationId, users: [user('grace')] });
    await key.begin([commentBy('ada', mentioning('grace', 'linus'))]);
    await key.settled();
    await key.configure({});
    const mention = await storedEvents(server, key);
    const reader = await holdTransaction(
      server.databaseUrl,
      "SELECT FROM event_reader_partitions WHERE name = 'notifications' FOR UPDATE",
    );
    await key.post('/v2/users/delete', { organizationId, userIds: ['grace'] });
    await server.app.services.db.transaction(handle(mention));
    await reader.release();
    await key.settled();
    expect(headlines(await key.inbox('linus'))).toHaveLength(1);
    const joined = await key.post('/v1/organizations/usergroups/users/add', {
      organizationId,
      organizationUserGroupId: 'team',
      userIds: ['grace', 'linus'],
    });
    expect(joined).toMatchObject({ grace: { success: false }, linus: { success: true } });
  });

  it('for a deleted user who returned, until the user writes again', async () => {
    const { organizationId } = key.place;
    const users = [user('grace')];
    await key.post('/v1/users/add', { organizationId, users });
    await key.begin([commentBy('ada'), commentBy('grace')]);
    await key.settled();
    await key.post('/v2/users/delete', { organizationId, userIds: ['grace'] });
    await key.settled();
    await key.post('/v1/users/add', { organizationId, users });
    await key.reply(commentBy('ada'));
    await key.settled();
    expect(await headlinesOf('grace')).toEqual([]);
    const subscribers = async () => {
      const [annotation] = await key.post('/v2/commentannotations/get', key.place);
      return [Object.keys(annotation.subscribedUsers), Object.keys(annotation.unsubscribedUsers)];
    };
    expect(await subscribers()).toEqual([['ada'], []]);
    await key.reply(commentBy('grace'));
    await key.reply(commentBy('ada'));
    await key.settled();
    expect(await headlinesOf('grace')).toEqual(['ada replied to a comment']);
    expect(await subscribers()).toEqual([['ada', 'grace'], []]);
  });

  it('twice for one event, nor by a transaction that fails, nor when the service was just disabled', async () => {
    await key.configure({ useNotificationService: false });
    await key.begin([commentBy('ada', mentioning('grace'))]);
    await key.settled();
    const { db } = server.app.services;
    const log = await storedEvents(server, key);
    const read = (afterwards = () => {}) =>
      db.transaction(async (tx) => {
        await handle(log)(tx);
        afterwards();
      });
    await read();
    expect(await key.all()).toEqual([]);
    await key.configure({});
    const crash = read(() => {
      throw new Error('The process dies before the commit.');
    });
    await expect(crash).rejects.toThrow('dies');
    expect(await key.all()).toEqual([]);
    for (let times = 0; times < 2; times++) {
      await read();
      expect(await key.all()).toHaveLength(1);
    }
    const published = await allEvents(server, { types: ['notification.add'] }, key.headers);
    expect(published).toHaveLength(1);
  });
});

it('an event that is handled late does not notify of a comment that was deleted since', async () => {
  await key.configure({ useNotificationService: false });
  await key.begin([commentBy('ada'), commentBy('ada', mentioning('grace'))]);
  await key.reply(commentBy('ada', mentioning('linus')));
  await key.post('/v2/commentannotations/comments/delete', { ...key.target, commentIds: [3] });
  await key.settled();
  await key.configure({});
  for (const event of await storedEvents(server, key)) {
    if (event.type === 'comment.delete') continue;
    await server.app.services.db.transaction(handle([event], true));
  }
  const notified = (await key.all()).flatMap(({ notifyUsers }) => Object.keys(notifyUsers));
  expect(notified).toEqual(['grace']);
});

it('events that are read together notify of nothing that a later one of them deleted', async () => {
  await key.configure({ useNotificationService: false });
  const { annotationId } = key.target;
  const commentOf = (commentText: string, ...userIds: string[]) =>
    commentBy('ada', { commentText, ...mentioning(...userIds) });
  await key.begin([commentOf('Old', 'guido')]);
  await key.post('/v2/commentannotations/delete', { ...key.place, annotationIds: [annotationId] });
  await key.begin([commentOf('New', 'guido')]);
  await key.reply(commentOf('Deleted'), commentOf('Left', 'grace'));
  await key.reply(commentBy('linus', { commentText: 'Deleted' }));
  await key.post('/v2/commentannotations/comments/delete', { ...key.target, commentIds: [2, 4] });
  await readTogether();
  expect((await key.inbox('guido', { order: 'asc' })).map((one) => one.displayBodyMessage)).toEqual(
    ['New', 'Left'],
  );
  expect(await headlinesOf('grace')).toEqual(['ada mentioned you in a comment']);
  expect(await headlinesOf('ada')).toEqual([]);
});

it('an event that is read with the deletion of the first comment shows the next one', async () => {
  await key.configure({ useNotificationService: false });
  await key.begin([commentBy('ada', { commentText: 'Deleted' }), commentBy('linus')]);
  await key.update({ priority: { id: 'P1' } });
  await key.post('/v2/commentannotations/comments/delete', { ...key.target, commentIds: [1] });
  await readTogether();
  expect((await newest('ada')).displayBodyMessage).toBe('linus says so');
});

it('an event that is read late notifies nobody from whom the annotation was hidden when it happened', async () => {
  await key.configure({ useNotificationService: false });
  const comment = commentBy('ada', { commentText: 'A secret', ...mentioning('grace', 'linus') });
  await key.begin([comment], { visibility: { type: 'restricted', userIds: ['linus'] } });
  const edit = { ...key.target, commentData: [{ commentId: 1, commentText: 'Cleaned' }] };
  await key.post('/v2/commentannotations/comments/update', edit);
  await key.update({ visibility: { type: 'public' } });
  await readTogether();
  const bodies = async (userId: string) =>
    (await key.inbox(userId, { order: 'asc' })).map((one) => one.displayBodyMessage);
  expect(await bodies('linus')).toEqual(['A secret', 'Cleaned']);
  expect(await bodies('grace')).toEqual(['Cleaned']);
});

it("preferences allow all events, a user's own, or none, those of a document before those of the organization", async () => {
  const people = ['assigned', 'author', 'follower', 'mentioned', 'writer'];
  const { organizationId, documentId } = key.place;
  await key.begin([commentBy('author'), commentBy('writer')], { assignedTo: user('assigned') });
  await key.post('/v1/users/add', { organizationId, users: people.map(user) });
  await key.post('/v2/commentannotations/subscribe', { ...key.target, userId: 'follower' });
  await key.settled();
  /** The recipients of a reply that mentions somebody. */
  const recipientsOfReply = async () => {
    const before = (await key.all()).length;
    await key.reply(commentBy('somebody', mentioning('mentioned')));
    await key.settled();
    const after = (await key.all()).slice(before);
    return after.flatMap((one) => Object.keys(one.notifyUsers)).toSorted();
  };
  expect(await recipientsOfReply()).toEqual(people);
  for (const userId of people) await key.prefer(userId, { inbox: 'MINE' });
  expect(await recipientsOfReply()).toEqual(['assigned', 'author', 'mentioned', 'writer']);
  for (const userId of people) await key.prefer(userId, { inbox: 'NONE' });
  expect(await recipientsOfReply()).toEqual([]);
  await key.prefer('follower', { inbox: 'ALL' }, [documentId]);
  await key.prefer('mentioned', { email: 'ALL' }, [documentId]);
  expect(await recipientsOfReply()).toEqual(['follower']);
});

it('generating notifications runs as many statements for one event as for ten', async () => {
  const { db } = server.app.services;
  await key.configure({ useNotificationService: false });
  await key.begin([commentBy('ada', mentioning('grace'))]);
  for (let n = 0; n < 9; n++) await key.reply(commentBy('linus', mentioning(`u-${n}`)));
  await key.settled();
  await key.configure({});
  const all = await storedEvents(server, key);
  const comments = all.filter(({ type }) => type.startsWith('comment'));
  /** Large events are inserted in several statements, depending on their bytes. */
  const counted = async (some: typeof all) =>
    (await server.statementsOf(() => db.transaction(handle(some)))).filter(
      (text) => !text.includes('INSERT INTO event_outbox'),
    );
  const one = await counted(comments.slice(0, 1));
  expect(await counted(comments.slice(1))).toHaveLength(one.length);
  expect(one.length).toBeLessThanOrEqual(11);
  expect(comments).toHaveLength(10);
});
