import { beforeEach, describe, expect, it } from 'vitest';
import { mailReader } from '../../../src/features/email/mail-reader.ts';
import { notificationReader } from '../../../src/features/notifications/generate/notification-reader.ts';
import type { Transaction } from '../../../src/platform/database/database.ts';
import type { LoggedEvent } from '../../../src/platform/events/logged-events.ts';
import { userHeaders } from '../../support/annotations.ts';
import { failureOf } from '../../support/answers.ts';
import { allEvents, storedEvents } from '../../support/events.ts';
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

/** Keeps the notification reader of the server from reading meanwhile. */
async function withoutReader(work: () => Promise<void>): Promise<void> {
  const client = await server.app.services.db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `SELECT FROM event_reader_partitions /* all tenants */ WHERE name = 'notifications' FOR UPDATE`,
    );
    await work();
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
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

  it('is shared by recipients with the same reason', async () => {
    await key.begin([commentBy('ada', mentioning('linus'))], { assignedTo: user('alan') });
    await key.settled();
    await key.reply(commentBy('linus', mentioning('grace', 'guido')));
    await key.settled();
    const all = await key.all();
    expect(all.slice(2).map((one) => [one.displayHeadlineMessage, one.notifyUsers])).toEqual(
      expect.arrayContaining([
        ['linus mentioned you in a comment', { grace: true, guido: true }],
        ['linus replied to a comment', { alan: true }],
        ['linus replied to a comment', { ada: true }],
      ]),
    );
    expect(all).toHaveLength(5);
  });

  it('has the strongest reason of each, and passes over those who unsubscribed', async () => {
    await key.begin([commentBy('ada', mentioning('linus'))], { assignedTo: user('alan') });
    await key.settled();
    await key.post('/v2/commentannotations/unsubscribe', { ...key.target, userId: 'linus' });
    await key.reply(commentBy('grace', mentioning('alan', 'grace')));
    await key.settled();
    expect(headlines((await key.all()).slice(2)).toSorted()).toEqual([
      'grace mentioned you in a comment',
      'grace replied to a comment',
    ]);
    expect((await newest('alan')).displayHeadlineMessage).toBe('grace mentioned you in a comment');
    expect(await newest('ada')).toMatchObject({ notifyUsers: { ada: true } });
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

  it.each([
    [{ assignedTo: user('grace') }, 'grace', 'A comment was assigned to you'],
    [
      { status: { id: 'RESOLVED' }, resolvedByUserId: 'linus' },
      'ada',
      'linus changed the status of a comment to Resolved',
    ],
    [{ status: { id: 'APPROVED' } }, 'ada', 'A comment was approved'],
    [
      { priority: { id: 'P1', name: 'High' } },
      'ada',
      'The priority of a comment was changed to High',
    ],
    [{ customList: [1] }, 'ada', 'The custom list of a comment was changed'],
    [{ suggestion: { status: 'accepted' } }, 'ada', 'A suggestion was accepted'],
    [{ suggestion: { status: 'rejected' } }, 'ada', 'A suggestion was rejected'],
  ])('is made for %j', async (updatedData, userId, headline) => {
    await key.begin([commentBy('ada')]);
    await key.update(updatedData);
    await key.settled();
    expect(await headlinesOf(userId)).toEqual([headline]);
  });

  it('informs the assignee of a new annotation about the assignment', async () => {
    await key.begin([commentBy('ada', mentioning('linus'))], { assignedTo: user('grace') });
    await key.settled();
    expect(await headlinesOf('grace')).toEqual(['ada assigned a comment to you']);
    expect(await headlinesOf('linus')).toEqual(['ada mentioned you in a comment']);
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

  it('reaches 2,500 subscribers in notifications of at most 1,000', async () => {
    const people = Array.from({ length: 2_500 }, (_, n) => `u-${n}`);
    const third = (n: number) => people.slice(n * 1000, (n + 1) * 1000);
    await key.begin([
      commentBy('ada', mentioning(...third(0))),
      commentBy('ada', mentioning(...third(1))),
      commentBy('ada', mentioning(...third(2))),
    ]);
    await key.settled();
    const all = await key.all();
    const sizes = all.map((one) => Object.keys(one.notifyUsers).length);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([1000, 1000, 500]);
    expect(await key.inbox('u-2499')).toHaveLength(1);
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
  expect(await countAtOnce([small, ...Array(20).fill(ofGroup)])).toEqual([10, 10]);
  const larger = {
    ...(ofGroup.data as object),
    subscribedUsers: Object.fromEntries(
      Array.from({ length: 10_001 }, (_, n) => [n, { user: user(`${n}`) }]),
    ),
  };
  expect(await countAtOnce([{ ...ofGroup, data: larger }, small])).toEqual([1, 1]);
});

describe('no notification is made', () => {
  const mention = async () => {
    await key.begin([commentBy('ada', mentioning('grace'))]);
    await key.settled();
    return key.all();
  };

  it('without triggerNotification, and of a draft', async () => {
    await key.begin([commentBy('ada', { ...mentioning('grace'), triggerNotification: false })]);
    await key.reply(commentBy('linus', { ...mentioning('grace'), isDraft: true }));
    await key.settled();
    expect(await key.all()).toEqual([]);
  });

  it('while the service or the trigger is disabled', async () => {
    await key.configure({ triggers: { comment: { newlyAdded: false } } });
    expect(await mention()).toEqual([]);
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

  it('for a deleted user, whom an old thread does not create again', async () => {
    const { organizationId } = key.place;
    await key.begin([commentBy('ada')]);
    await key.post('/v1/users/add', { organizationId, users: [user('ada')] });
    const own = await userHeaders(server, 'ada', [], key.headers);
    expect(await key.inbox('ada', {}, own)).toEqual([]);
    await key.post('/v2/users/delete', { organizationId, userIds: ['ada'] });
    await key.reply(commentBy('linus'));
    await key.settled();
    expect(await key.all()).toEqual([]);
    const refused = await server.call('/v2/notifications/get', key.place, own);
    expect(failureOf(refused).status).toBe('PERMISSION_DENIED');
  });

  it('for a user who was deleted after the event, and does not come back', async () => {
    const { organizationId } = key.place;
    await key.configure({ useNotificationService: false });
    await key.post('/v1/users/add', { organizationId, users: [user('grace')] });
    await key.begin([commentBy('ada', mentioning('grace', 'linus'))]);
    await key.settled();
    await key.configure({});
    const mention = await storedEvents(server, key);
    await withoutReader(async () => {
      await key.post('/v2/users/delete', { organizationId, userIds: ['grace'] });
      await server.app.services.db.transaction(handle(mention));
    });
    await key.settled();
    expect(headlines(await key.inbox('linus'))).toHaveLength(1);
    const joined = await key.post('/v1/organizations/usergroups/users/add', {
      organizationId,
      organizationUserGroupId: 'team',
      userIds: ['grace', 'linus'],
    });
    expect(joined).toMatchObject({ grace: { success: false }, linus: { success: true } });
  });

  it('for a user who was deleted from another organization', async () => {
    const elsewhere = { organizationId: 'elsewhere' };
    await key.post('/v1/users/add', { ...elsewhere, users: [user('ada')] });
    await key.begin([commentBy('ada')]);
    await key.post('/v2/users/delete', { ...elsewhere, userIds: ['ada'] });
    await key.settled();
    await key.reply(commentBy('linus'));
    await key.settled();
    expect(await key.all()).toEqual([]);
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

  it('for a deleted assignee, whom an old thread does not create again', async () => {
    const { organizationId } = key.place;
    await key.post('/v1/users/add', { organizationId, users: [user('grace')] });
    await key.begin([commentBy('ada')], { assignedTo: user('grace') });
    await key.settled();
    await key.post('/v2/users/delete', { organizationId, userIds: ['grace'] });
    await key.reply(commentBy('ada'));
    await key.settled();
    expect(await headlinesOf('grace')).toEqual([]);
    await key.update({ assignedTo: user('grace') });
    await key.settled();
    expect(await headlinesOf('grace')).toEqual([]);
    await key.update({ assignedTo: user('linus') });
    await key.update({ assignedTo: user('grace') });
    await key.settled();
    expect(await headlinesOf('grace')).toEqual(['A comment was assigned to you']);
  });

  it('twice for one event, nor by a transaction that fails, nor when the service was just disabled', async () => {
    await key.configure({ useNotificationService: false });
    expect(await mention()).toEqual([]);
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

describe('notification preferences', () => {
  beforeEach(async () => {
    const people = ['author', 'writer', 'mentioned', 'follower', 'assigned'].map(user);
    const { organizationId } = key.place;
    await key.begin([commentBy('author'), commentBy('writer')], { assignedTo: user('assigned') });
    await key.post('/v1/users/add', { organizationId, users: people });
    await key.post('/v2/commentannotations/subscribe', { ...key.target, userId: 'follower' });
    await key.settled();
  });
  /** The recipients of a reply that mentions somebody. */
  const recipientsOfReply = async () => {
    const before = (await key.all()).length;
    await key.reply(commentBy('somebody', mentioning('mentioned')));
    await key.settled();
    const after = (await key.all()).slice(before);
    return after.flatMap((one) => Object.keys(one.notifyUsers)).toSorted();
  };
  const people = ['assigned', 'author', 'follower', 'mentioned', 'writer'];
  const setInboxOfAll = async (inbox: string) => {
    for (const userId of people) await key.prefer(userId, { inbox });
  };

  it("allow all events, a user's own, or none", async () => {
    expect(await recipientsOfReply()).toEqual(people);
    await setInboxOfAll('MINE');
    expect(await recipientsOfReply()).toEqual(['assigned', 'author', 'mentioned', 'writer']);
    await setInboxOfAll('NONE');
    expect(await recipientsOfReply()).toEqual([]);
  });

  it('of a document take precedence over those of the organization', async () => {
    await setInboxOfAll('NONE');
    await key.prefer('follower', { inbox: 'ALL' }, [key.place.documentId]);
    await key.prefer('mentioned', { email: 'ALL' }, [key.place.documentId]);
    expect(await recipientsOfReply()).toEqual(['follower']);
  });
});

it('generating notifications runs as many statements for one event as for fifty', async () => {
  const { db } = server.app.services;
  await key.configure({ useNotificationService: false });
  await key.begin([commentBy('ada', mentioning('grace'))]);
  for (let n = 0; n < 49; n++) await key.reply(commentBy('linus', mentioning(`u-${n}`)));
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
  expect(comments).toHaveLength(50);
});
