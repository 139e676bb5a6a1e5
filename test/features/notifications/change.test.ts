import { describe, expect, it } from 'vitest';
import { userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { idsOf, notificationsOf } from '../../support/notifications.ts';
import { testServer } from '../../support/server.ts';

const server = testServer();
const calls = notificationsOf(server);

const update = (data: object, headers?: Record<string, string>) =>
  server.call('/v2/notifications/update', data, headers);
const remove = (data: object, headers?: Record<string, string>) =>
  server.call('/v2/notifications/delete', data, headers);

/** Notifications a and b for grace and other, on an open and a closed document. */
async function filled() {
  const documents = ['open', { documentId: 'closed', accessType: 'restricted' }];
  const organizationId = await organize(server, fresh('org'), { documents });
  const notifyUsers = [{ userId: 'grace' }, { userId: 'other' }];
  await calls.add({ organizationId, documentId: 'open', notificationId: 'a', notifyUsers });
  await calls.add({ organizationId, documentId: 'closed', notificationId: 'b', notifyUsers });
  return organizationId;
}

async function isRead(organizationId: string, userId: string): Promise<boolean> {
  const [first] = dataOf(await calls.get({ organizationId, userId }));
  return first.isRead;
}

describe('notifications/update', () => {
  it('marks as read and as unread in one inbox', async () => {
    const organizationId = await filled();
    const grace = { organizationId, userId: 'grace', notificationIds: ['a', 'a', 'unknown'] };
    expect(dataOf(await update(grace))).toEqual({
      a: { success: true, id: 'a', message: 'Notification updated.' },
      unknown: { success: false, id: 'unknown', message: 'Notification is not in this inbox.' },
    });
    expect(await isRead(organizationId, 'grace')).toBe(true);
    expect(await isRead(organizationId, 'other')).toBe(false);
    await update({ ...grace, isRead: false });
    expect(await isRead(organizationId, 'grace')).toBe(false);
    const nobody = await update({ organizationId, notificationIds: ['a'] });
    expect(nobody.body).toEqual(invalid('userId'));
  });

  it('lets users change visible notifications of their own inbox', async () => {
    const organizationId = await filled();
    const headers = await userHeaders(server, 'grace', []);
    const answer = dataOf(await update({ organizationId, notificationIds: ['a', 'b'] }, headers));
    expect([answer.a.success, answer.b.success]).toEqual([true, false]);
    expect(await isRead(organizationId, 'grace')).toBe(true);
    expect(await isRead(organizationId, 'other')).toBe(false);
    const others = { organizationId, userId: 'other', notificationIds: ['a'] };
    expect(failureOf(await update(others, headers)).status).toBe('PERMISSION_DENIED');
  });
});

describe('notifications/delete', () => {
  it('deletes the named notifications from every inbox', async () => {
    const organizationId = await filled();
    expect(dataOf(await remove({ organizationId, notificationIds: ['a', 'unknown'] }))).toEqual({
      a: { success: true, id: 'a', message: 'Notification deleted.' },
      unknown: { success: false, id: 'unknown', message: 'Notification does not exist.' },
    });
    for (const userId of ['grace', 'other']) {
      expect(idsOf(await calls.get({ organizationId, userId }))).toEqual([]);
    }
    expect(idsOf(await calls.get({ organizationId, documentId: 'closed' }))).toEqual(['b']);
  });

  it('is limited to a document on request', async () => {
    const organizationId = await filled();
    const here = { organizationId, documentId: 'closed', notificationIds: ['a', 'b'] };
    const answer = dataOf(await remove(here));
    expect([answer.a.success, answer.b.success]).toEqual([false, true]);
  });

  it('runs concurrently with updates and with itself', async () => {
    const organizationId = await filled();
    const notificationIds = ['b', 'a'];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        n % 2 === 0
          ? remove({ organizationId, notificationIds })
          : update({ organizationId, userId: 'grace', notificationIds }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const deleted = answers.filter(
      ({ body }) => body.result.data.a.message === 'Notification deleted.',
    );
    expect(deleted).toHaveLength(1);
  });
});
