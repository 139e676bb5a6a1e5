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
  it('deletes the named notifications from every inbox', async () => {
    const organizationId = await readable();
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
    const organizationId = await readable();
    const here = { organizationId, documentId: 'closed', notificationIds: ['a', 'b'] };
    const answer = dataOf(await remove(here));
    expect([answer.a.success, answer.b.success]).toEqual([false, true]);
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
async function filled() {
  const organizationId = await organize(server, fresh('org'), { documents: ['d1', 'd2'] });
  for (const documentId of ['d1', 'd2']) {
    for (const location of ['7', 'top']) {
      for (const userId of ['grace', 'other']) {
        now += 1;
        await calls.add({
          organizationId,
          documentId,
          notificationId: `${documentId}-${location}-${userId}`,
          location: { id: location === '7' ? 7 : location },
          notifyUsers: [{ userId }],
        });
      }
    }
  }
  return organizationId;
}

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
    organizationId = await filled();
  });

  it.each(
    combinations.map((filters) => ({ name: Object.keys(filters).toSorted().join(), filters })),
  )(
    'answers an allowed combination of filters, and refuses any other: "$name"',
    async ({ name, filters }) => {
      const answer = await calls.get({ organizationId, ...filters });
      if (!VALID.includes(name)) {
        expect(failureOf(answer)).toMatchObject({ http: 400, status: 'INVALID_ARGUMENT' });
        return;
      }
      const {
        documentId = '',
        locationId = '',
        userId = '',
        notificationIds,
      } = filters as Partial<typeof FIELDS>;
      const expected = EVERY.filter(
        (id) =>
          id.startsWith(documentId) &&
          id.endsWith(userId) &&
          id.includes(locationId && `-${locationId}-`) &&
          (notificationIds?.includes(id) ?? true),
      );
      expect(expected.length).toBeGreaterThan(0);
      expect(sorted(idsOf(answer))).toEqual(expected);
    },
  );

  it('answers the allowed combinations without a user to a user token too, from its inbox', async () => {
    const headers = await userHeaders(server, 'grace', []);
    for (const filters of combinations) {
      if ('userId' in filters || !VALID.includes(Object.keys(filters).toSorted().join())) continue;
      const everybody = idsOf(await calls.get({ organizationId, ...filters }));
      const own = idsOf(await calls.get({ organizationId, ...filters }, headers));
      expect(own).toEqual(everybody.filter((id) => id.endsWith('grace')));
      expect(own).not.toEqual([]);
    }
  });

  it('compares locations as text, and ignores an empty list of ids', async () => {
    const place = { organizationId, documentId: 'd1' };
    const asText = idsOf(await calls.get({ ...place, locationId: '7' }));
    expect(asText).toHaveLength(2);
    expect(idsOf(await calls.get({ ...place, locationId: 7, notificationIds: [] }))).toEqual(
      asText,
    );
  });

  it('finds a location by its id, whichever of the three fields holds it', async () => {
    const organizationId = await organize(server, fresh('org'), { documents: ['d'] });
    const place = { organizationId, documentId: 'd' };
    for (const location of [{ locationId: 7 }, { id: 7 }, { version: { id: 7 } }]) {
      await calls.add({ ...place, location });
    }
    expect(dataOf(await calls.get({ ...place, locationId: '7' }))).toHaveLength(3);
  });

  it('orders by timestamp, newest first by default', async () => {
    const place = { organizationId, documentId: 'd2' };
    const newestFirst = idsOf(await calls.get(place));
    expect(newestFirst).toEqual(EVERY.filter((id) => id.startsWith('d2')).reverse());
    expect(idsOf(await calls.get({ ...place, order: 'asc' }))).toEqual(newestFirst.toReversed());
  });
});

describe('the pages of notifications/get', () => {
  it.each(['asc', 'desc'])('have no repeats or gaps, %s, also at equal times', async (order) => {
    const organizationId = await organize(server, fresh('org'), { documents: ['plan', CLOSED] });
    const expected = Array.from({ length: 11 }, (_, n) => `n-${n}`);
    for (const notificationId of expected) {
      await calls.add({ organizationId, documentId: 'plan', notificationId });
      await calls.add({ organizationId, documentId: 'closed' });
    }
    for (const filter of [{ documentId: 'plan' }, grace]) {
      const seen: string[] = [];
      const query = { organizationId, ...filter, order, pageSize: 3 };
      for await (const { data } of pages(query)) seen.push(...data.map(({ id }: Loose) => id));
      expect(seen).toEqual(order === 'asc' ? expected : expected.toReversed());
    }
  });

  it('refuse a page token of another query', async () => {
    const organizationId = await filled();
    const first = await calls.get({ organizationId, documentId: 'd1', pageSize: 1 });
    const { pageToken } = first.body.result;
    const other = { organizationId, documentId: 'd1', order: 'asc', pageToken };
    expect((await calls.get(other)).body.error.details.issues[0].path).toBe('pageToken');
  });

  it('reach visible notifications behind hundreds of hidden ones', async () => {
    const organizationId = await organize(server, fresh('org'), { documents: ['open', CLOSED] });
    await calls.add({ organizationId, documentId: 'open', notificationId: 'visible' });
    now += 1;
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        Array.from({ length: 100 }, () => calls.add({ organizationId, documentId: 'closed' })),
      );
    }
    const seen: string[] = [];
    const query = { organizationId, ...grace, pageSize: 1 };
    for await (const { data } of pages(query)) seen.push(...data.map(({ id }: Loose) => id));
    expect(seen).toEqual(['visible']);
  });
});

describe('the visible part of an inbox', () => {
  it('requires one value for every field of a context, held on the document or above it', async () => {
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

  it('is limited to the user of a user token', async () => {
    const organizationId = await filled();
    const headers = await userHeaders(server, 'grace', []);
    const own = EVERY.filter((id) => id.endsWith('grace'));
    expect(sorted(idsOf(await calls.get({ organizationId }, headers)))).toEqual(own);
    expect(sorted(idsOf(await calls.get({ organizationId, ...grace }, headers)))).toEqual(own);
    const onDocument = await calls.get({ organizationId, documentId: 'd1' }, headers);
    expect(sorted(idsOf(onDocument))).toEqual(own.filter((id) => id.startsWith('d1')));
    expect(dataOf(await calls.get({ organizationId: 'unknown' }, headers))).toEqual([]);
  });
});
