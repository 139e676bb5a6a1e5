import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { dataOf, failureOf, invalid } from '../../support/answers.ts';
import { eventually } from '../../support/eventually.ts';
import { readersCaughtUp } from '../../support/notifying-key.ts';
import { type Respond, respondWith, startReceiver } from '../../support/receiver.ts';
import { testServer } from '../../support/server.ts';
import {
  attempted as attemptedOn,
  createEndpoint,
  deliveriesOf,
  PATHS,
  publishEvents,
  secretOf,
  type WebhookScene,
  webhookScene,
} from '../../support/webhooks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const STEPS = [5_000, 300_000, 1_800_000, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

let now = Date.UTC(2027, 0, 5, 9);
const clock = { now: () => now };
const server = testServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' }, { clock });

const scene = (respond: Respond, input?: object) => webhookScene(server, respond, input);
const attempted = (of: WebhookScene, count: number) => attemptedOn(server, of, count);

const callUpdate = (of: WebhookScene, data: object) =>
  server.call(PATHS.update, { endpointId: of.endpointId, ...data }, of.headers);
const isDisabled = async ({ headers, endpointId }: WebhookScene): Promise<boolean> => {
  const { endpoints } = await server.ok(PATHS.get, {}, headers);
  return endpoints.find(({ id }: { id: string }) => id === endpointId).disabled;
};

describe('a delivery that fails', () => {
  it('is retried at every step with the same id and bytes, and then given up', async () => {
    const place = await scene(respondWith(503, { 'retry-after': '1' }, 'busy'));
    await publishEvents(server, place.headers, [{ data: { z: 1, a: [2], text: 'ß\u2028' } }]);
    for (const [index, step] of STEPS.entries()) {
      const delivery = await attempted(place, index + 1);
      expect(delivery.status).toBe('pending');
      const delay = (delivery.nextAttemptAt ?? 0) - now;
      expect(delay).toBeGreaterThanOrEqual(step * 0.8);
      expect(delay).toBeLessThanOrEqual(step * 1.2);
      now = delivery.nextAttemptAt ?? now;
    }
    const last = await attempted(place, 8);
    expect(last).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect(last.attempts[0]).toMatchObject({
      statusCode: 503,
      error: 'The endpoint responded with 503.',
      excerpt: 'busy',
    });
    const { received } = place.receiver;
    expect(received).toHaveLength(8);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(8);
  });

  it('ends with the first success', async () => {
    const place = await scene(respondWith(500));
    await publishEvents(server, place.headers, [{}]);
    const { nextAttemptAt } = await attempted(place, 1);
    place.receiver.respond = respondWith(204);
    now = nextAttemptAt ?? now;
    expect(await attempted(place, 2)).toMatchObject({ status: 'delivered', nextAttemptAt: null });
  });

  it('waits as Retry-After asks', async () => {
    // Dates in headers have no milliseconds.
    now = Math.ceil(now / 1000) * 1000;
    const retryAfter = new Date(now + 9_000).toUTCString();
    const place = await scene(respondWith(429, { 'retry-after': retryAfter }));
    await publishEvents(server, place.headers, [{}]);
    const { nextAttemptAt } = await attempted(place, 1);
    expect(nextAttemptAt).toBe(now + 9_000);
  });

  it('fails on a redirect, which is not followed', async () => {
    const elsewhere = await startReceiver();
    for (const code of [301, 302, 307, 308]) {
      const place = await scene(respondWith(code, { location: elsewhere.url }));
      await publishEvents(server, place.headers, [{}]);
      const { attempts, status: shown } = await attempted(place, 1);
      expect(attempts[0]?.error).toMatch(/redirects are not followed/);
      expect(shown).toBe('pending');
    }
    expect(elsewhere.received).toEqual([]);
  });

  it('does not delay later deliveries', async () => {
    const place = await scene((request, response) =>
      respondWith(request.event.data.n === 0 ? 500 : 200)(request, response),
    );
    const published = [0, 1, 2].map((n) => ({ documentId: 'd', data: { n } }));
    await publishEvents(server, place.headers, published);
    await eventually(() => {
      expect(place.receiver.received.map(({ event }) => event.data.n)).toEqual([0, 1, 2]);
    });
  });
});

describe('an endpoint', () => {
  it('is disabled by a 410, and other endpoints receive an event about it', async () => {
    const place = await scene(respondWith(410), { filterTypes: ['comment.add'] });
    const other = await startReceiver();
    await createEndpoint(server, place.headers, { url: other.url });
    await publishEvents(server, place.headers, [{}]);
    expect(await attempted(place, 1)).toMatchObject({ status: 'failed' });
    expect(await isDisabled(place)).toBe(true);
    await eventually(() => expect(other.received).toHaveLength(2));
    const published = other.received
      .map(({ event }) => event)
      .find(({ type }) => type !== 'comment.add');
    expect(published).toMatchObject({
      type: 'endpoint.disabled',
      data: { id: place.endpointId, url: place.receiver.url, disabled: true, reason: 'gone' },
    });
    expect(place.receiver.received).toHaveLength(1);
  });

  it('is disabled after five days of failures only, counted from the last success', async () => {
    const place = await scene(respondWith(500));
    const [{ headers, receiver }, started] = [place, now];
    const publishOnce = async (count: number) => {
      await publishEvents(server, headers, [{}]);
      await eventually(async () => {
        const all = await deliveriesOf(server, headers, { endpointId: place.endpointId });
        expect(all.filter(({ attempts }) => attempts.length > 0)).toHaveLength(count);
      });
    };
    await publishOnce(1);
    now = started + 4 * DAY;
    receiver.respond = respondWith(200);
    await publishOnce(2);
    receiver.respond = respondWith(500);
    await publishOnce(3);
    now = started + 8 * DAY;
    await publishOnce(4);
    expect(await isDisabled(place)).toBe(false);
    now = started + 9 * DAY + HOUR;
    // Earlier failures are due again by now, and fail again.
    await eventually(async () => expect(await isDisabled(place)).toBe(true));

    // An endpoint that is enabled again has another five days.
    dataOf(await callUpdate(place, { disabled: false }));
    await publishEvents(server, headers, [{ type: 'user.add' }]);
    await eventually(async () => {
      const [last] = await deliveriesOf(server, headers, { type: 'user.add' });
      expect(last?.attempts).toHaveLength(1);
    });
    expect(await isDisabled(place)).toBe(false);
  });

  it('that is disabled keeps its waiting deliveries, shows them so, and gets them when it is enabled', async () => {
    const place = await scene(respondWith(500));
    await publishEvents(server, place.headers, [{}]);
    await attempted(place, 1);
    dataOf(await callUpdate(place, { disabled: true }));
    await publishEvents(server, place.headers, [{}]);
    await readersCaughtUp(server, 'webhooks');
    now += DAY;
    expect(await attempted(place, 1)).toMatchObject({ status: 'disabled', nextAttemptAt: null });
    const inStatus = (status: string) => deliveriesOf(server, place.headers, { status });
    expect(await inStatus('pending')).toEqual([]);
    expect(await inStatus('disabled')).toHaveLength(1);
    expect(place.receiver.received).toHaveLength(1);
    place.receiver.respond = respondWith(200);
    dataOf(await callUpdate(place, { disabled: false }));
    expect(await attempted(place, 2)).toMatchObject({ status: 'delivered' });
    expect(place.receiver.received).toHaveLength(2);
  });
});

describe('resending', () => {
  it('sends one delivery again, whatever its status and the current filters', async () => {
    const place = await scene(respondWith(200));
    await publishEvents(server, place.headers, [{}]);
    const { id } = await attempted(place, 1);
    dataOf(await callUpdate(place, { filterTypes: ['user.add'] }));
    const answer = await server.call(PATHS.resend, { deliveryId: id }, place.headers);
    expect(dataOf(answer)).toEqual({ deliveryId: id });
    expect(await attempted(place, 2)).toMatchObject({ status: 'delivered' });
    const [first, second] = place.receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });

  it('finds no unknown delivery', async () => {
    const place = await scene(respondWith(200));
    await publishEvents(server, place.headers, [{}]);
    const { id } = await attempted(place, 1);
    const unknown = [`${id}x`, 'x', 'a.b.c', 'a.0.c', '..', id.replace('.', '')];
    for (const deliveryId of unknown) {
      const answer = await server.call(PATHS.resend, { deliveryId }, place.headers);
      expect(failureOf(answer), deliveryId).toMatchObject({ http: 404, status: 'NOT_FOUND' });
    }
    expect(place.receiver.received).toHaveLength(1);
  });

  it('recovers deliveries since a time that failed or are waiting, and no others', async () => {
    const place = await scene(respondWith(500));
    const { headers, receiver, endpointId } = place;
    await publishEvents(server, headers, [{ data: { n: 'early' } }]);
    await attempted(place, 1);
    now += 60_000;
    await attempted(place, 2);
    now += 2 * HOUR;
    const since = now;
    await attempted(place, 3);
    await publishEvents(server, headers, [{ data: { n: 'late' } }]);
    await eventually(async () => {
      const all = await deliveriesOf(server, headers);
      expect(all.map(({ attempts }) => attempts.length)).toEqual([1, 3]);
    });
    receiver.respond = respondWith(200);
    await publishEvents(server, headers, [{ data: { n: 'good' } }]);
    await eventually(async () => {
      const all = await deliveriesOf(server, headers);
      expect(all.map(({ attempts }) => attempts.length)).toEqual([1, 1, 3]);
    });
    const recover = (from: number) =>
      server.call(PATHS.recover, { endpointId, since: from }, headers);
    expect(dataOf(await recover(now + 1))).toEqual({ recovered: 0 });
    expect(dataOf(await recover(since))).toEqual({ recovered: 2 });
    await eventually(async () => {
      const all = await deliveriesOf(server, headers);
      expect(all.map((one) => one.status)).toEqual(['delivered', 'delivered', 'delivered']);
    });
    expect(receiver.received).toHaveLength(7);
    expect((await recover(now - 14 * DAY - 1)).body).toEqual(invalid('since'));
  });

  it('is refused for an endpoint that is disabled or unknown', async () => {
    const place = await scene(respondWith(200));
    const { headers, endpointId } = place;
    dataOf(await callUpdate(place, { disabled: true }));
    const recover = (id: string) =>
      server.call(PATHS.recover, { endpointId: id, since: now }, headers);
    expect(failureOf(await recover(endpointId)).status).toBe('FAILED_PRECONDITION');
    expect(failureOf(await recover('unknown')).reason).toBe('endpoint_not_found');
  });
});

it('a rotated secret signs beside the new one for 24 hours', async () => {
  const { headers, receiver, endpointId } = await scene(respondWith(200));
  const before = await secretOf(server, headers, endpointId);
  const { secret } = await server.ok(PATHS.rotateSecret, { endpointId }, headers);
  for (const count of [1, 2]) {
    await publishEvents(server, headers, [{}]);
    await eventually(() => expect(receiver.received).toHaveLength(count));
    now += DAY + 1;
  }
  for (const [at, secrets] of [[secret, before], [secret]].entries()) {
    const { body = '', headers: sent = {} } = receiver.received[at] ?? {};
    const time = new Date(Number(sent['webhook-timestamp']) * 1000);
    const signatures = secrets.map((one) =>
      new Webhook(one).sign(sent['webhook-id'] ?? '', time, body),
    );
    expect(sent['webhook-signature']).toBe(signatures.join(' '));
  }
});
