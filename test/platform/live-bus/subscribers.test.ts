import { expect, it } from 'vitest';
import type { Queryable } from '../../../src/platform/database/database.ts';
import {
  OrganizationChannel,
  SubscriberCursor,
} from '../../../src/platform/live-bus/subscribers.ts';
import type { LiveEvent } from '../../../src/platform/live-bus/topic.ts';

const organization = { tenantId: 'tenant', organizationId: 'acme' };

const eventAt = (position: bigint): LiveEvent => ({
  ...organization,
  id: `event-${position}`,
  position,
  sequence: `${position}`,
  type: 'comment.added',
  documentId: 'plan',
  channels: [],
  data: {},
  createdAt: new Date(0),
  size: 2,
});

const unread: Queryable = {
  query: () => Promise.reject(new Error('Everything is in memory.')),
};

const { signal } = new AbortController();

function subscribe() {
  const channel = new OrganizationChannel(organization);
  const topic = { ...organization, documentId: 'plan', types: ['comment.added'] };
  const buffer = channel.bufferFor(topic, 1n);
  const cursor = new SubscriberCursor({ db: unread, channel, buffer, userId: 'ann' });
  return { channel, buffer, cursor };
}

it('a subscriber that resumes does not take an event for the newest while the log has later ones that did not arrive', async () => {
  const { buffer, cursor } = subscribe();
  cursor.logEndAtStart = 3n;

  buffer.add(eventAt(2n));
  expect(await cursor.next(signal)).toMatchObject({ isNewest: false });

  buffer.add(eventAt(3n));
  cursor.position = 3n;
  buffer.add(eventAt(4n));
  expect(await cursor.next(signal)).toMatchObject({ isNewest: true });
});

it('a subscriber gets an event and a change of access that come while it looks for events in memory', async () => {
  const { channel, buffer, cursor } = subscribe();

  const withEvent = cursor.next(signal);
  buffer.add(eventAt(2n));
  expect((await withEvent)?.events).toEqual([eventAt(2n)]);

  cursor.position = 2n;
  const withoutEvent = cursor.next(signal);
  channel.accessChanged();
  expect((await withoutEvent)?.events).toEqual([]);
});
