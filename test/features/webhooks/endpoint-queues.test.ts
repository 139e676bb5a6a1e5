import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { Dispatcher } from '../../../src/features/webhooks/engine/dispatcher.ts';
import { eventually, SOON_MS } from '../../support/eventually.ts';
import { execute } from '../../support/global-setup.ts';
import { type Receiver, respondWith, startReceiver } from '../../support/receiver.ts';
import { startTestServer } from '../../support/server.ts';
import {
  createEndpoint,
  deliveriesOf,
  fanOut,
  publishEvents,
  webhookTenant,
} from '../../support/webhooks.ts';
import { whenFileEnds } from '../../support/when-file-ends.ts';

/** The requests that the worker may have in flight, more than a hundred times fewer than in production. */
const MAX_IN_FLIGHT = 16;
const MANY = 100;

const server = await startTestServer({ ROLES: 'api', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
const worker = new Dispatcher(server.app.services, MAX_IN_FLIGHT);
worker.start();
whenFileEnds(() => worker.stop());

/** Creates this many endpoints of a key, each with its own receiver. */
const endpoints = (headers: Record<string, string>, count: number): Promise<Receiver[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const receiver = await startReceiver();
      await createEndpoint(server, headers, { url: receiver.url });
      return receiver;
    }),
  );

/** Inserts this many deliveries for each endpoint of the key in one statement. */
async function deliver(headers: Record<string, string>, count: number): Promise<void> {
  await publishEvents(server, headers, Array(count).fill({}));
  await fanOut(server, headers);
}

/** Resolves when the worker has renewed its lease, with which it also looks for changed queues. */
async function nextPoll(): Promise<void> {
  const seen = () => execute(server.databaseUrl, 'SELECT seen_at FROM webhook_workers');
  const before = await seen();
  await eventually(async () => expect(await seen()).not.toEqual(before));
}

it('a worker with more endpoints than it may have requests in flight serves every endpoint long before any queue is empty', async () => {
  const headers = await webhookTenant(server);
  const receivers = await endpoints(headers, MAX_IN_FLIGHT);
  await deliver(headers, MANY);
  const counts = await eventually(() => {
    const seen = receivers.map(({ received }) => received.length);
    expect(Math.min(...seen)).toBeGreaterThan(0);
    return seen;
  });
  expect(Math.max(...counts)).toBeLessThan(MANY);

  // Another key is served meanwhile, and no delivery is lost.
  const other = await webhookTenant(server);
  const [single] = await endpoints(other, 1);
  await deliver(other, 1);
  await eventually(() => expect(single?.received).toHaveLength(1));
  expect(receivers.some(({ received }) => received.length < MANY)).toBe(true);
  await eventually(() => {
    for (const { received } of receivers) {
      expect(new Set(received.map(({ event }) => event.id)).size).toBe(MANY);
    }
  });
});

it('an endpoint takes its turn although others of its key began before and hold all requests that the key may have in flight', async () => {
  const headers = await webhookTenant(server);
  const unanswered: ServerResponse[] = [];
  const slow = await startReceiver((_request, response) => unanswered.push(response));
  const isFull = () => eventually(() => expect(unanswered).toHaveLength(MAX_IN_FLIGHT / 2));
  for (let n = 0; n < 2; n++) await createEndpoint(server, headers, { url: slow.url });
  await deliver(headers, MANY);
  await isFull();
  const [single] = await endpoints(headers, 1);
  await deliver(headers, 1);
  for (let turn = 0; turn < 3; turn++) {
    await isFull();
    await nextPoll();
    unanswered.shift()?.end();
  }
  await eventually(() => expect(single?.received).toHaveLength(1), SOON_MS);
  slow.respond = respondWith(200);
  for (const response of unanswered) response.end();
});

it('the queues of a key that may send nothing more in one worker are claimed by another', async () => {
  const headers = await webhookTenant(server);
  const unanswered: ServerResponse[] = [];
  const slow = await startReceiver((_request, response) => unanswered.push(response));
  for (let n = 0; n < 2; n++) await createEndpoint(server, headers, { url: slow.url });
  await deliver(headers, 4);
  await eventually(() => expect(unanswered).toHaveLength(MAX_IN_FLIGHT / 2));
  const [single] = await endpoints(headers, 1);
  await deliver(headers, 1);
  const other = await startTestServer({
    DATABASE_URL: server.databaseUrl,
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  await eventually(() => expect(single?.received).not.toHaveLength(0));
  // None of the other requests has timed out, which would have left room in the first worker.
  const deliveries = await deliveriesOf(server, headers);
  expect(deliveries.flatMap(({ attempts }) => attempts.map(({ error }) => error))).not.toContain(
    'No complete response within 15 seconds.',
  );
  slow.respond = respondWith(200);
  for (const response of unanswered) response.end();
  await other.app.stop();
}, 60_000);

it('many keys are served while receivers of others hold all requests that a worker may have in flight, which together exceed that limit only so far', async () => {
  const unanswered: ServerResponse[] = [];
  const slow = await startReceiver((_request, response) => unanswered.push(response));
  const keys = await Promise.all(
    Array.from({ length: MAX_IN_FLIGHT + 8 }, () => webhookTenant(server)),
  );
  for (const headers of keys) {
    await createEndpoint(server, headers, { url: slow.url });
    await deliver(headers, 4);
  }
  await eventually(() => expect(unanswered.length).toBeGreaterThan(2 * MAX_IN_FLIGHT));
  for (let polls = 0; polls < 2; polls++) await nextPoll();
  expect(unanswered.length).toBeLessThanOrEqual(4 * MAX_IN_FLIGHT);
  await eventually(() => {
    unanswered.shift()?.end();
    expect(new Set(slow.received.map(({ event }) => event.id)).size).toBe(4 * keys.length);
  });
  slow.respond = respondWith(200);
  for (const response of unanswered) response.end();
});
