import { describe, expect, it } from 'vitest';
import { dataOf, fresh } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventsOf } from '../../support/events.ts';
import { idsOf, NOTIFICATION, notificationsOf } from '../../support/notifications.ts';
import { testServer } from '../../support/server.ts';

const NOW = 1_800_000_000_000;

const server = testServer({ ROLES: 'api' }, { clock: { now: () => NOW } });
const calls = notificationsOf(server);

const newPlace = async () => ({
  organizationId: await organize(server, fresh('org'), { documents: ['plan'] }),
  documentId: 'plan',
});

describe('notifications/add', () => {
  it('returns an outcome, and publishes the notification of 2.12 as the inbox shows it', async () => {
    const place = await newPlace();
    const added = await calls.add({ ...place, notificationId: 'n1' });
    expect(dataOf(added)).toEqual({
      n1: { success: true, id: 'n1', message: 'Notification added.' },
    });
    const { organizationId } = place;
    expect(dataOf(await calls.get({ organizationId, userId: 'grace' }))).toEqual([
      {
        id: 'n1',
        notificationSource: 'custom',
        notificationSourceData: {},
        actionUser: NOTIFICATION.actionUser,
        displayBodyMessage: NOTIFICATION.displayBodyMessage,
        displayHeadlineMessageTemplate: NOTIFICATION.displayHeadlineMessageTemplate,
        displayHeadlineMessageTemplateData: { task: 'the launch' },
        displayHeadlineMessage: 'Ada Lovelace told Grace Hopper of the launch',
        metadata: { apiKey: server.quickstart.apiKey, ...place },
        notifyUsers: { grace: true },
        notifyUsersByUserId: { grace: true },
        timestamp: NOW,
        isRead: false,
      },
    ]);
    const events = await eventsOf(server, organizationId, ['notification.add']);
    expect(events).toMatchObject([{ metadata: place }]);
    expect(events[0]?.data).toEqual(dataOf(await calls.get(place))[0]);
  });

  it('shows the acting user with the stored fields', async () => {
    const place = await newPlace();
    const { organizationId } = place;
    const alan = { userId: fresh('user'), name: 'Alan', email: 'alan@example.com' };
    await server.ok('/v1/users/add', { organizationId, users: [alan] });
    dataOf(await calls.add({ ...place, actionUser: { userId: alan.userId } }));
    const [shown] = dataOf(await calls.get({ organizationId, userId: 'grace' }));
    expect(shown.actionUser).toMatchObject(alan);
    expect(shown.displayHeadlineMessage).toContain('Alan told');
  });

  it('ignores a repeated id, also under concurrency', async () => {
    const place = await newPlace();
    const same = { ...place, notificationId: 'same' };
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => calls.add(same)));
    const repeated = await calls.add({ ...same, notifyUsers: [{ userId: 'other' }] });
    const messages = [...outcomes, repeated].map((answer) => dataOf(answer).same);
    expect(messages.every((outcome) => outcome.success)).toBe(true);
    expect(messages.filter(({ message }) => message === 'Notification added.')).toHaveLength(1);
    expect(idsOf(await calls.get(place))).toEqual(['same']);
    const { organizationId } = place;
    expect(idsOf(await calls.get({ organizationId, userId: 'other' }))).toEqual([]);
    expect(await eventsOf(server, organizationId, ['notification.add'])).toHaveLength(1);
  });

  it('creates unknown recipients as users without a role, each once', async () => {
    const { organizationId, documentId } = await newPlace();
    const userId = fresh('user');
    const notifyUsers = [{ userId, name: 'New' }, { userId }];
    dataOf(await calls.add({ organizationId, documentId, notifyUsers }));
    expect(await server.ok('/v2/users/get', { organizationId })).toEqual([]);
    expect(idsOf(await calls.get({ organizationId, userId }))).toHaveLength(1);
  });

  it('adds notifications that leave the inbox with its user', async () => {
    const place = await newPlace();
    const { organizationId } = place;
    const userId = fresh('user');
    await calls.add({ ...place, notifyUsers: [{ userId }] });
    await server.ok('/v2/users/delete', { organizationId, userIds: [userId] });
    expect(idsOf(await calls.get({ organizationId, userId }))).toEqual([]);
  });
});
