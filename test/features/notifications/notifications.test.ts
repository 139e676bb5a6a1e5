import { beforeAll, describe, expect, it } from 'vitest';
import { userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh, invalid, type Loose, pagesOf } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventsOf } from '../../support/events.ts';
import { idsOf, NOTIFICATION, notificationsOf } from '../../support/notifications.ts';
import { testServer } from '../../support/server.ts';

/** Notifications that callers add. */

let now = 1_800_000_000_000;
const server = testServer({ ROLES: 'api' }, { clock: { now: () => now } });
const calls = notificationsOf(server);

const newPlace = async () => ({
  organizationId: await organize(server, fresh('org'), { documents: ['plan'] }),
  documentId: 'plan',
});

const GRACE = { userId: 'grace', email: 'grace@example.com' };

describe('notifications/add', () => {
  it('returns an outcome, and publishes the notification of 2.12 as the inbox shows it', async () => {
    const place = await newPlace();
    const userId = fresh('user');
    const notifyUsers = [{ userId, name: 'Grace Hopper' }];
    const added = await calls.add({ ...place, notificationId: 'n1', notifyUsers });
    expect(dataOf(added)).toEqual({
      n1: { success: true, id: 'n1', message: 'Notification added.' },
    });
    const { organizationId } = place;
    expect(dataOf(await calls.get({ organizationId, userId }))).toEqual([
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
        notifyUsers: { [userId]: true },
        notifyUsersByUserId: { [userId]: true },
        timestamp: now,
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

  it.each<[template: string, values: object, headline: string]>([
    [
      '{a}, {b}, {c}',
      { a: { ...GRACE, name: 'Grace' }, b: GRACE, c: { userId: 'grace' } },
      'Grace, grace@example.com, grace',
    ],
    ['{who} {unknown} {constructor} {}', { who: '{x}', x: 'y' }, '{x} {unknown} {constructor} {}'],
    ['{a}'.repeat(3_000), { a: '😀'.repeat(5_000) }, '😀'.repeat(5_000)],
    ['{a}{b}', { a: 'x'.repeat(9_999), b: '😀' }, `${'x'.repeat(9_999)}\ufffd`],
  ])(
    'fills the headline (%#) with values as they are, of users by name, e-mail address or id',
    async (displayHeadlineMessageTemplate, displayHeadlineMessageTemplateData, headline) => {
      const place = await newPlace();
      const filled = { displayHeadlineMessageTemplate, displayHeadlineMessageTemplateData };
      dataOf(await calls.add({ ...place, ...filled }));
      expect(dataOf(await calls.get(place))[0].displayHeadlineMessage).toBe(headline);
    },
  );

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

  it('creates unknown recipients as users without a role, whose inbox ends with them', async () => {
    const { organizationId, documentId } = await newPlace();
    const userId = fresh('user');
    const notifyUsers = [{ userId, name: 'New' }, { userId }];
    dataOf(await calls.add({ organizationId, documentId, notifyUsers }));
    expect(await server.ok('/v2/users/get', { organizationId })).toEqual([]);
    expect(idsOf(await calls.get({ organizationId, userId }))).toHaveLength(1);
    await server.ok('/v2/users/delete', { organizationId, userIds: [userId] });
    expect(idsOf(await calls.get({ organizationId, userId }))).toEqual([]);
  });
});

const update = (data: object, headers?: Record<string, string>) =>
  server.call('/v2/notifications/update', data, headers);
const remove = (data: object, headers?: Record<string, string>) =>
  server.call('/v2/notifications/delete', data, headers);

/** Notifications a and b for grace and other, on an open and a closed document. */
async function readable() {
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
    const organizationId = await readable();
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
    const organizationId = await readable();
    const headers = await userHeaders(server, 'grace', []);
    const answer = dataOf(await update({ organizationId, notificationIds: ['a', 'b'] }, headers));
    expect([answer.a.success, answer.b.success]).toEqual([true, false]);
    expect(await isRead(organizationId, 'grace')).toBe(true);
    expect(await isRead(organizationId, 'other')).toBe(false);
  });
});

describe('notifications/delete', () => {
  it('deletes the named notifications from every inbox, on request only those of a document', async () => {
    const organizationId = await readable();
    const elsewhere = { organizationId, documentId: 'closed', notificationIds: ['a'] };
    expect(dataOf(await remove(elsewhere)).a.success).toBe(false);
    expect(dataOf(await remove({ organizationId, notificationIds: ['a', 'unknown'] }))).toEqual({
      a: { success: true, id: 'a', message: 'Notification deleted.' },
      unknown: { success: false, id: 'unknown', message: 'Notification does not exist.' },
    });
    for (const userId of ['grace', 'other']) {
      expect(idsOf(await calls.get({ organizationId, userId }))).toEqual([]);
    }
    expect(idsOf(await calls.get({ organizationId, documentId: 'closed' }))).toEqual(['b']);
  });

  it('runs concurrently with updates and with itself', async () => {
    const organizationId = await readable();
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

const pages = (query: object) =>
  pagesOf(async (pageToken) => (await calls.get({ ...query, pageToken })).body.result);

const grace = { userId: 'grace' };
const sorted = (ids: string[]) => ids.toSorted();
const CLOSED = { documentId: 'closed', accessType: 'restricted' };

/** Two documents, two locations and two users. Each notification's id names its place. */
const EVERY = ['d1', 'd2'].flatMap((documentId) =>
  ['7', 'top'].flatMap((location) =>
    ['grace', 'other'].map((userId) => `${documentId}-${location}-${userId}`),
  ),
);
const FIELDS = {
  documentId: 'd1',
  locationId: '7',
  userId: 'grace',
  notificationIds: ['d1-7-grace', 'd2-7-grace', 'd1-top-other', 'unknown'],
};
const VALID = [
  ['documentId'],
  ['documentId', 'notificationIds'],
  ['documentId', 'locationId'],
  ['documentId', 'locationId', 'notificationIds'],
  ['userId'],
  ['userId', 'notificationIds'],
  ['documentId', 'userId'],
  ['locationId', 'userId'],
  ['documentId', 'locationId', 'userId'],
].map((fields) => fields.toSorted().join());

/** Every subset of the four filters. */
const combinations = Array.from({ length: 16 }, (_, bits) =>
  Object.fromEntries(Object.entries(FIELDS).filter((_field, index) => bits & (1 << index))),
);

describe('notifications/get', () => {
  let organizationId: string;
  beforeAll(async () => {
    organizationId = await organize(server, fresh('org'), { documents: ['d1', 'd2'] });
    for (const notificationId of EVERY) {
      const [documentId, location, userId] = notificationId.split('-');
      const place = { documentId, location: { id: location === '7' ? 7 : location } };
      await calls.add({ organizationId, notificationId, ...place, notifyUsers: [{ userId }] });
    }
  });

  it('answers an allowed combination of filters, to a user token from its inbox, and refuses any other', async () => {
    const headers = await userHeaders(server, 'grace', []);
    for (const filters of combinations) {
      const name = Object.keys(filters).toSorted().join();
      const answer = await calls.get({ organizationId, ...filters });
      if (!VALID.includes(name)) {
        expect(failureOf(answer), name).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
        continue;
      }
      const {
        documentId = '',
        locationId = '',
        userId = '',
        notificationIds = EVERY,
      } = filters as Partial<typeof FIELDS>;
      const expected = EVERY.filter(
        (id) =>
          id.startsWith(documentId) &&
          id.endsWith(userId) &&
          id.includes(locationId && `-${locationId}-`) &&
          notificationIds.includes(id),
      );
      expect(sorted(idsOf(answer)), name).toEqual(expected);
      const own = expected.filter((id) => id.endsWith('grace'));
      expect(own).not.toEqual([]);
      const toUser = await calls.get({ organizationId, ...filters }, headers);
      expect(sorted(idsOf(toUser)), name).toEqual(own);
    }
    const all = EVERY.filter((id) => id.endsWith('grace'));
    expect(sorted(idsOf(await calls.get({ organizationId }, headers)))).toEqual(all);
    expect(dataOf(await calls.get({ organizationId: 'unknown' }, headers))).toEqual([]);
  });

  it('finds a location by its id as text, whichever of the three fields holds it', async () => {
    const organizationId = await organize(server, fresh('org'), { documents: ['d'] });
    const place = { organizationId, documentId: 'd' };
    for (const location of [{ locationId: 7 }, { id: 7 }, { version: { id: 7 } }]) {
      await calls.add({ ...place, location });
    }
    expect(dataOf(await calls.get({ ...place, locationId: '7' }))).toHaveLength(3);
    const asNumber = { ...place, locationId: 7, notificationIds: [] };
    expect(dataOf(await calls.get(asNumber))).toHaveLength(3);
  });

  it('refuses a page token of another query', async () => {
    const query = { organizationId, documentId: 'd1', pageSize: 1 };
    const { pageToken } = (await calls.get(query)).body.result;
    const other = await calls.get({ ...query, order: 'asc', pageToken });
    expect(other.body).toEqual(invalid('pageToken'));
  });
});

describe('the pages of notifications/get', () => {
  it.each(['asc', undefined])(
    'have no repeats or gaps, also at equal times: order %s',
    async (order) => {
      const organizationId = await organize(server, fresh('org'), { documents: ['plan', CLOSED] });
      const expected = Array.from({ length: 7 }, (_, n) => `n-${n}`);
      for (const notificationId of expected) {
        await calls.add({ organizationId, documentId: 'plan', notificationId });
        await calls.add({ organizationId, documentId: 'closed' });
        // Only the first ones have equal times.
        if (notificationId > 'n-2') now += 1;
      }
      for (const filter of [{ documentId: 'plan' }, grace]) {
        const seen: string[] = [];
        const query = { organizationId, ...filter, order, pageSize: 3 };
        for await (const { data } of pages(query)) seen.push(...data.map(({ id }: Loose) => id));
        expect(seen).toEqual(order === 'asc' ? expected : expected.toReversed());
      }
    },
  );

  it('reach visible notifications behind hundreds of hidden ones', async () => {
    const organizationId = await organize(server, fresh('org'), { documents: ['open', CLOSED] });
    await calls.add({ organizationId, documentId: 'open', notificationId: 'visible' });
    now += 1;
    await calls.add({ organizationId, documentId: 'closed' });
    await server.app.services.db.pool.query(
      `WITH hidden AS (
         INSERT INTO notifications (tenant_id, organization_id, notification_id, document_id,
           created_ms, source, content)
         SELECT tenant_id, organization_id, 'n' || n, document_id, created_ms, source, content
         FROM notifications /* all tenants */, generate_series(2, 600) AS n
         WHERE organization_id = $1 AND document_id = 'closed' RETURNING *)
       INSERT INTO notification_recipients (tenant_id, organization_id, notification_id, user_id,
         document_id, created_ms, position)
       SELECT tenant_id, organization_id, notification_id, 'grace', document_id, created_ms, position
       FROM hidden`,
      [organizationId],
    );
    const seen: string[] = [];
    const query = { organizationId, ...grace, pageSize: 1 };
    for await (const { data } of pages(query)) seen.push(...data.map(({ id }: Loose) => id));
    expect(seen).toEqual(['visible']);
  });
});

it('an inbox requires one value for every field of a context, held on the document or above it', async () => {
  const organizationId = await organize(server, fresh('org'), { documents: ['plan', 'other'] });
  const userId = fresh('user');
  const of = { organizationId, documentId: 'plan', notifyUsers: [{ userId }] };
  const access = { team: ['a', 'b'], level: ['1'] };
  await calls.add({ ...of, notificationId: 'with', context: { access } });
  await calls.add({ ...of, notificationId: 'without' });
  const inbox = async () => sorted(idsOf(await calls.get({ organizationId, userId })));
  const hold = (id: string, type: string, held: object) =>
    calls.change('add', userId, { type, id, organizationId, context: { access: held } });
  expect(await inbox()).toEqual(['without']);
  await hold('other', 'document', { team: ['a'], level: ['1'] });
  expect(await inbox(), 'held on another document').toEqual(['without']);
  await hold('plan', 'document', { team: ['b', 'x'] });
  expect(await inbox(), 'one field of two').toEqual(['without']);
  await hold(organizationId, 'organization', { level: ['1'] });
  expect(await inbox(), 'both, in two places').toEqual(['with', 'without']);
  const [notification] = dataOf(
    await calls.get({ organizationId, documentId: 'plan', order: 'asc' }),
  );
  expect(notification.context).toEqual({ access });
});
