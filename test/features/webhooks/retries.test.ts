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

  it('waits as Retry-After asks, and ends with the first success', async () => {
    // Dates in headers have no milliseconds.
    now = Math.ceil(now / 1000) * 1000;
    const retryAfter = new Date(now + 9_000).toUTCString();
    const place = await scene(respondWith(429, { 'retry-after': retryAfter }));
    await publishEvents(server, place.headers, [{}]);
    expect((await attempted(place, 1)).nextAttemptAt).toBe(now + 9_000);
    place.receiver.respond = respondWith(204);
    now += 9_000;
    expect(await attempted(place, 2)).toMatchObject({ status: 'delivered', nextAttemptAt: null });
  });

  it('is not sent on where a redirect points, and delays no later one of its document', async () => {
    const elsewhere = await startReceiver();
    const codes = [301, 302, 307, 308, 500, 200];
    const place = await scene(({ event }, response) =>
      response.writeHead(codes[event.data.n] ?? 200, { location: elsewhere.url }).end(),
    );
    const published = codes.map((_, n) => ({ documentId: 'd', data: { n } }));
    await publishEvents(server, place.headers, published);
    await eventually(async () => {
      const [last, failed, ...redirected] = await deliveriesOf(server, place.headers);
      expect([last, failed]).toMatchObject([{ status: 'delivered' }, { status: 'pending' }]);
      const error = expect.stringMatching(/redirects are not followed/);
      expect(redirected).toMatchObject(Array(4).fill({ status: 'pending', attempts: [{ error }] }));
    });
    expect(place.receiver.received.map(({ event }) => event.data.n)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(elsewhere.received).toEqual([]);
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
    expect(other.received.map(({ event }) => event)).toContainEqual(
      expect.objectContaining({
        type: 'endpoint.disabled',
        data: expect.objectContaining({ id: place.endpointId, disabled: true, reason: 'gone' }),
      }),
    );
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
  const resend = (deliveryId: string, { headers }: WebhookScene) =>
    server.call(PATHS.resend, { deliveryId }, headers);

  it('sends one delivery again, whatever its status and the current filters, and no unknown one', async () => {
    const place = await scene(respondWith(200));
    await publishEvents(server, place.headers, [{}]);
    const { id } = await attempted(place, 1);
    dataOf(await callUpdate(place, { filterTypes: ['user.add'] }));
    expect(dataOf(await resend(id, place))).toEqual({ deliveryId: id });
    expect(await attempted(place, 2)).toMatchObject({ status: 'delivered' });
    const [first, second] = place.receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    for (const unknown of [`${id}x`, 'x', 'a.b.c', 'a.0.c', '..', id.replace('.', '')]) {
      expect(failureOf(await resend(unknown, place)), unknown).toMatchObject({ http: 404 });
    }
    expect(place.receiver.received).toHaveLength(2);
  });

  it('recovers deliveries since a time that failed or are waiting, and no others', async () => {
    const place = await scene(respondWith(500));
    const { headers, receiver, endpointId } = place;
    const attemptsAre = (...counts: number[]) =>
      eventually(async () => {
        const all = await deliveriesOf(server, headers);
        expect(all.map(({ attempts }) => attempts.length)).toEqual(counts);
        return all.map(({ status }) => status);
      });
    const recover = (from: number, id = endpointId) =>
      server.call(PATHS.recover, { endpointId: id, since: from }, headers);
    await publishEvents(server, headers, [{}]);
    await attempted(place, 1);
    now += 60_000;
    await attempted(place, 2);
    now += 2 * HOUR;
    const since = now;
    await attempted(place, 3);
    await publishEvents(server, headers, [{}]);
    await attemptsAre(1, 3);
    receiver.respond = respondWith(200);
    await publishEvents(server, headers, [{}]);
    expect(await attemptsAre(1, 1, 3)).toEqual(['delivered', 'pending', 'pending']);
    expect(dataOf(await recover(now + 1))).toEqual({ recovered: 0 });
    expect(dataOf(await recover(since))).toEqual({ recovered: 2 });
    expect(await attemptsAre(1, 2, 4)).toEqual(['delivered', 'delivered', 'delivered']);
    expect(receiver.received).toHaveLength(7);
    expect((await recover(now - 14 * DAY - 1)).body).toEqual(invalid('since'));
    expect(failureOf(await recover(now, 'unknown')).reason).toBe('endpoint_not_found');
    dataOf(await callUpdate(place, { disabled: true }));
    expect(failureOf(await recover(now)).status).toBe('FAILED_PRECONDITION');
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
