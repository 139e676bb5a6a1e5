import { beforeEach, describe, expect, it } from 'vitest';
import { releaseBatches } from '../../../src/features/notifications/generate/batches.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { userHeaders } from '../../support/annotations.ts';
import { fresh } from '../../support/answers.ts';
import { erase } from '../../support/erasure.ts';
import { allEvents, storedEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  commentBy,
  headlines,
  mentioning,
  notifyingKey,
  notifyingKeyPerTest,
  user,
} from '../../support/notifying-key.ts';
import { startTestServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const SECOND = 1000;

const server = await startTestServer({}, { clock });
/** A second process, which releases what is due at the same moment. */
const second = await startTestServer({ ROLES: 'api', DATABASE_URL: server.databaseUrl }, { clock });
const key = notifyingKeyPerTest(server);

const delay = { isEnabled: true, delaySeconds: 60 };
const batching = { isEnabled: true, windowSeconds: 300, maxNotifications: 3 };

/** Advances the clock by these seconds, and waits until both processes released what is due. */
async function later(seconds: number): Promise<void> {
  await key.settled();
  clock.time += seconds * SECOND;
  await Promise.all([server, second].map(({ app }) => releaseBatches(app.services)));
  // The server's own periodic task may have released it a moment before.
  await eventually(async () => {
    const { pool } = server.app.services.db;
    const { rows } = await pool.query(
      'SELECT 1 FROM held_notifications /* all tenants */ WHERE due_ms <= $1 FOR UPDATE NOWAIT',
      [clock.time],
    );
    expect(rows).toEqual([]);
  });
}
/** Releases what is due in a minute, at a process with another `append`. */
const releaseInAMinute = (append: typeof server.app.services.events.append) => {
  const minute = { now: () => clock.time + 60 * SECOND };
  return releaseBatches({ ...server.app.services, clock: minute, events: { append } } as never);
};
const headlinesOf = async (userId: string) => headlines(await key.inbox(userId, { order: 'asc' }));
const MENTION = 'ada mentioned you in a comment';

describe('a delay', () => {
  beforeEach(() => key.configure({ delay }));

  it('holds notifications until it ends, unless the service was disabled meanwhile', async () => {
    await key.begin([commentBy('ada', mentioning('grace'))]);
    await later(59);
    expect(await key.all()).toEqual([]);
    await later(1);
    const [shown, ...more] = await key.inbox('grace');
    expect(more).toEqual([]);
    expect(shown).toMatchObject({ displayHeadlineMessage: MENTION, timestamp: clock.time });
    await later(600);
    expect(await key.all()).toHaveLength(1);
    expect(await allEvents(server, { types: ['notification.add'] }, key.headers)).toHaveLength(1);
    await key.reply(commentBy('ada', mentioning('grace')));
    await key.settled();
    await key.configure({ useNotificationService: false });
    await later(60);
    await key.configure({});
    await later(60);
    expect(await key.all()).toHaveLength(1);
  });

  it('respects comments that are deleted or edited meanwhile', async () => {
    await key.begin([commentBy('ada', { commentText: 'First', ...mentioning('grace') })]);
    await key.reply(commentBy('ada', mentioning('linus')), commentBy('ada', mentioning('guido')));
    await key.post('/v2/commentannotations/comments/delete', { ...key.target, commentIds: [2, 3] });
    const edit = { ...key.target, commentData: [{ commentId: 1, commentText: 'Better' }] };
    await key.post('/v2/commentannotations/comments/update', edit);
    await later(60);
    expect(await headlinesOf('linus')).toEqual([]);
    expect(await headlinesOf('guido')).toEqual([]);
    const [shown, ...more] = await key.inbox('grace');
    expect(more).toEqual([]);
    expect(shown.displayBodyMessage).toBe('Better');
  });

  it('reports a mention once, for the edit that added it', async () => {
    const { organizationId } = key.place;
    const group = { organizationId, organizationUserGroupId: fresh('team'), userIds: ['guido'] };
    await key.post('/v1/users/add', { organizationId, users: [user('guido')] });
    await key.post('/v1/organizations/usergroups/users/add', group);
    await key.begin([commentBy('ada')]);
    const mentions = {
      ...mentioning('linus'),
      toOrganizationUserGroup: [group.organizationUserGroupId],
    };
    const commentData = [{ commentId: 1, triggerNotification: true, ...mentions }];
    const edit = { ...key.target, commentData };
    await key.post('/v2/commentannotations/comments/update', edit);
    await later(60);
    expect(await headlinesOf('linus')).toEqual([MENTION]);
    expect(await headlinesOf('guido')).toEqual([MENTION]);
  });

  it('respects reactions that are taken back meanwhile', async () => {
    await key.begin([commentBy('ada')]);
    const onOrganization = { type: 'organization', id: key.place.organizationId };
    const react = async (userId: string, verb: 'add' | 'delete') => {
      const headers = await userHeaders(server, userId, [onOrganization], key.headers);
      const reaction = { ...key.target, commentId: 1, icon: '🎉' };
      await key.post(`/v2/commentannotations/reactions/${verb}`, reaction, headers);
    };
    await react('grace', 'add');
    await react('linus', 'add');
    await react('grace', 'delete');
    clock.time += SECOND;
    await react('linus', 'delete');
    await react('linus', 'add');
    await later(60);
    expect(await headlinesOf('ada')).toEqual(['linus reacted to a comment with 🎉']);
  });

  it('respects assignments that are changed or withdrawn meanwhile', async () => {
    await key.begin([commentBy('ada')]);
    await key.update({ assignedTo: user('grace') });
    await key.update({ assignedTo: user('linus') });
    await later(60);
    expect(await headlinesOf('grace')).toEqual([]);
    expect(await headlinesOf('linus')).toEqual(['A comment was assigned to you']);
    expect(await headlinesOf('ada')).toEqual(['A comment was assigned to linus']);
    await key.update({ assignedTo: user('grace') });
    await key.update({ assignedTo: null });
    await later(60);
    expect(await headlinesOf('grace')).toEqual([]);
    expect(await headlinesOf('ada')).toEqual([
      'A comment was assigned to linus',
      'A comment was unassigned',
    ]);
  });

  it('respects annotations that are deleted, hidden or read, and users who unsubscribe', async () => {
    await key.begin(['grace', 'linus', 'guido', 'alan'].map((userId) => commentBy(userId)));
    await key.reply(commentBy('ada'));
    clock.time += SECOND;
    await key.post('/v2/commentannotations/read', { ...key.target, userId: 'alan' });
    const userIds = ['linus', 'guido', 'alan'];
    await key.update({ visibility: { type: 'restricted', userIds } });
    await key.post('/v2/commentannotations/unsubscribe', { ...key.target, userId: 'linus' });
    await key.configure({ triggers: { comment: { accessModeChanged: false } } });
    await later(60);
    const both = ['grace added a comment', 'ada replied to a comment'];
    expect(await headlinesOf('guido')).toEqual(both);
    for (const userId of ['linus', 'alan']) expect(await headlinesOf(userId)).toEqual([]);
    // Reading the annotation once does not affect later events.
    await key.reply(commentBy('ada'));
    await later(60);
    expect(await headlinesOf('alan')).toEqual(['ada replied to a comment']);
    await key.reply(commentBy('ada'));
    await key.post('/v2/commentannotations/delete', key.place);
    await later(60);
    expect(await key.all()).toEqual([]);
  });

  it('drops notifications of a deleted document, also when document and annotation are added again', async () => {
    const { organizationId, documentId } = key.place;
    await key.begin([commentBy('ada', { commentText: 'Old', ...mentioning('grace', 'linus') })]);
    await key.settled();
    const documentIds = [documentId];
    await key.post('/v2/organizations/documents/delete', { organizationId, documentIds });
    clock.time += SECOND;
    await key.begin([commentBy('ada', { commentText: 'New', ...mentioning('grace') })], {
      annotationId: key.target.annotationId,
    });
    await later(60);
    expect(await headlinesOf('grace')).toEqual([MENTION]);
    expect(await headlinesOf('linus')).toEqual([]);
  });

  it('brings back no users who were deleted or erased meanwhile', async () => {
    const { organizationId } = key.place;
    await key.post('/v1/users/add', { organizationId, users: ['grace', 'linus'].map(user) });
    const assigned = { assignedTo: user('linus') };
    await key.begin([commentBy('ada', mentioning('grace', 'linus', 'guido'))], assigned);
    await key.settled();
    await key.post('/v2/users/delete', { organizationId, userIds: ['grace'] });
    await erase(server, key.headers, { userIds: ['linus'] });
    await later(60);
    await key.reply(commentBy('guido'));
    await later(60);
    expect((await key.all()).map(({ notifyUsers }) => notifyUsers)).toEqual([
      { guido: true },
      { ada: true },
    ]);
  });

  it('ends at exactly one process, and survives a crash', async () => {
    const { annotationId } = key.target;
    const commentData = [commentBy('ada', mentioning('grace'))];
    await key.post('/v2/commentannotations/add', {
      ...{ ...key.place, createOrganization: true, createDocument: true },
      commentAnnotations: Array.from({ length: 60 }, (_, n) => ({
        annotationId: `${annotationId}-${n}`,
        commentData,
      })),
    });
    await key.settled();
    const dies = releaseInAMinute(() => Promise.reject(new Error('The process dies.')));
    await expect(dies).rejects.toThrow('dies');
    expect(await key.all()).toEqual([]);
    await later(60);
    expect(await key.inbox('grace')).toHaveLength(60);
  });
});

it('a key whose notifications fail holds up no other key', async () => {
  const { events } = server.app.services;
  const other = await notifyingKey(server);
  for (const each of [key, other]) {
    await each.configure({ delay });
    await each.begin([commentBy('ada', mentioning('grace'))]);
    await each.settled();
  }
  const append: typeof events.append = (tx, tenantId, ...rest) =>
    tenantId === key.headers['x-svc-api-key']
      ? Promise.reject(new Error('This key fails.'))
      : events.append(tx, tenantId, ...rest);
  await expect(releaseInAMinute(append)).rejects.toThrow('This key fails.');
  expect(await other.inbox('grace')).toHaveLength(1);
  expect(await key.inbox('grace')).toEqual([]);
  await later(60);
  expect(await key.inbox('grace')).toHaveLength(1);
});

describe('batching', () => {
  beforeEach(() => key.configure({ batching }));

  it('combines events of one annotation into one notification for each user, without the text of a comment that is deleted afterwards', async () => {
    await key.begin([commentBy('ada', mentioning('grace'))]);
    await later(100);
    await key.reply(commentBy('linus', mentioning('guido')));
    await later(199);
    expect(await key.all()).toEqual([]);
    await later(1);
    expect(await headlinesOf('grace')).toEqual(['ada mentioned you in a comment, and 1 more']);
    expect(await headlinesOf('guido')).toEqual(['linus mentioned you in a comment']);
    expect(await headlinesOf('ada')).toEqual(['linus replied to a comment']);
    await key.reply(commentBy('linus', { commentText: 'First' }));
    await key.reply(commentBy('linus', { commentText: 'Last' }));
    await later(300);
    expect(await headlinesOf('ada')).toHaveLength(2);
    const bodiesOf = async (userId: string) =>
      (await key.inbox(userId)).map((one) => one.displayBodyMessage);
    expect(await bodiesOf('ada')).toEqual(['Last', 'linus says so']);
    await key.post('/v2/commentannotations/comments/delete', { ...key.target, commentIds: [4] });
    await key.settled();
    expect(await bodiesOf('ada')).toEqual(['', 'linus says so']);
  });

  it('releases a batch as soon as it is full', async () => {
    await key.begin([commentBy('ada', mentioning('grace'))]);
    await key.reply(commentBy('linus'));
    await later(10);
    expect(await key.all()).toEqual([]);
    await key.reply(commentBy('linus', { commentText: 'The third' }));
    await key.reply(commentBy('linus', { commentText: 'The fourth' }));
    await later(0);
    expect(await headlinesOf('grace')).toEqual(['ada mentioned you in a comment, and 2 more']);
    await later(300);
    expect(await headlinesOf('grace')).toHaveLength(2);
    expect((await key.inbox('grace'))[0]).toMatchObject({
      displayHeadlineMessage: 'linus replied to a comment',
      displayBodyMessage: 'The fourth',
    });
  });

  it('batches by annotation, and then waits for the delay', async () => {
    await key.configure({ delay });
    await key.begin([commentBy('ada', mentioning('grace'))]);
    await key.begin([commentBy('ada', mentioning('grace'))], {
      annotationId: `${key.target.annotationId}-b`,
    });
    await later(359);
    expect(await key.all()).toEqual([]);
    await later(1);
    expect(await headlinesOf('grace')).toEqual([MENTION, MENTION]);
  });

  it('stores each event once, and opens a new batch after a full one', async () => {
    // A full batch waits for its delay, so nothing is released while the test reads the rows.
    await key.configure({ delay });
    await key.begin([commentBy('ada', mentioning('grace'))]);
    for (let n = 0; n < 7; n++) await key.reply(commentBy('linus'));
    await key.settled();
    const rows = await server.app.services.db.query<{ sequences: string[] }>(sql`
      SELECT sequences::text[] FROM held_notifications WHERE tenant_id = ${key.tenantId}`);
    expect(rows.map(({ sequences }) => sequences.length).toSorted()).toEqual([2, 3, 3]);
    const events = await storedEvents(server, key);
    expect(new Set(rows.flatMap(({ sequences }) => sequences)).size).toBe(8);
    expect(events.filter(({ type }) => type.startsWith('comment'))).toHaveLength(8);
  });
});
