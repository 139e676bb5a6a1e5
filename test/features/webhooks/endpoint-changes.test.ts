import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { Dispatcher } from '../../../src/features/webhooks/engine/dispatcher.ts';
import type { Headers } from '../../support/answers.ts';
import { erase } from '../../support/erasure.ts';
import { eventually } from '../../support/eventually.ts';
import { startReceiver } from '../../support/receiver.ts';
import { scrape } from '../../support/scrape.ts';
import { startTestServer, testServer } from '../../support/server.ts';
import {
  deliveriesOf,
  fanOut,
  PATHS,
  publishEvents,
  setAdvancedWebhooks,
  webhookScene,
} from '../../support/webhooks.ts';

const server = testServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });

/** Waits until the worker has seen every earlier change. */
async function waitForWorker(of = server): Promise<void> {
  const passes = async () =>
    (await scrape(of.url)).get(
      'background_pass_duration_seconds_count{loop="webhooks",outcome="done"}',
    ) ?? 0;
  const before = await passes();
  await eventually(async () => {
    // A worker without queues makes no passes by itself.
    of.app.services.wakeUps.emit('deliveries');
    expect(await passes()).toBeGreaterThanOrEqual(before + 2);
  });
}

/** A scene whose receiver has four requests that it has not answered, while the worker holds more deliveries. */
async function busyScene(of = server) {
  const unanswered: ServerResponse[] = [];
  const scene = await webhookScene(of, (_request, response) => unanswered.push(response));
  const published = Array.from({ length: 30 }, (_, n) => ({ data: { n } }));
  await publishEvents(of, scene.headers, published);
  // A server without workers has no reader of events either.
  if (of !== server) await fanOut(of, scene.headers);
  await eventually(() => expect(unanswered).toHaveLength(4));
  await waitForWorker(of);
  return { ...scene, unanswered };
}

type BusyScene = Awaited<ReturnType<typeof busyScene>>;

async function answerAll({ unanswered }: BusyScene, of = server): Promise<void> {
  for (const response of unanswered.splice(0)) response.writeHead(200).end();
  await waitForWorker(of);
}

const update = (headers: Headers, input: object) => server.ok(PATHS.update, input, headers);

it.each<[what: string, change: (scene: BusyScene) => Promise<unknown>]>([
  ['is disabled', ({ headers, endpointId }) => update(headers, { endpointId, disabled: true })],
  ['is deleted', ({ headers, endpointId }) => server.ok(PATHS.delete, { endpointId }, headers)],
  ['is switched off with its key', ({ headers }) => setAdvancedWebhooks(server, headers, false)],
])('an endpoint that %s receives no delivery that the worker had loaded', async (_what, change) => {
  const scene = await busyScene();
  await change(scene);
  await waitForWorker();
  await answerAll(scene);
  expect(scene.receiver.received).toHaveLength(4);
});

it('an endpoint that answers 410 receives no delivery that the worker had loaded', async () => {
  const { headers, endpointId, receiver, unanswered } = await busyScene();
  for (const response of unanswered.splice(0)) response.writeHead(410).end();
  await eventually(async () => {
    const { endpoints } = await server.ok(PATHS.get, {}, headers);
    expect(endpoints).toMatchObject([{ id: endpointId, disabled: true }]);
  });
  await waitForWorker();
  expect(receiver.received).toHaveLength(4);
});

it('deliveries that the worker had loaded have a signature by a rotated secret', async () => {
  const scene = await busyScene();
  const { headers, endpointId, receiver } = scene;
  await server.ok(PATHS.rotateSecret, { endpointId }, headers);
  await waitForWorker();
  receiver.respond = (_request, response) => response.writeHead(200).end();
  await answerAll(scene);
  await eventually(() => expect(receiver.received).toHaveLength(30));
  const later = receiver.received.slice(4);
  const signatures = later.map(({ headers: sent }) => sent['webhook-signature']?.split(' '));
  expect(signatures.map((each) => each?.length)).toEqual(Array(26).fill(2));
});

it('deliveries that the worker had loaded do not name a user who was erased meanwhile, and arrive once', async () => {
  const scene = await busyScene();
  const { headers, receiver } = scene;
  const author = receiver.received[0]?.event.data.from;
  await erase(server, headers, { userIds: [author.userId] });
  await waitForWorker();
  receiver.respond = (_request, response) => response.writeHead(200).end();
  await answerAll(scene);
  await eventually(() => expect(receiver.received).toHaveLength(31));
  const events = receiver.received.slice(4).map(({ event }) => event);
  expect(events.map(({ type }) => type).toSorted()).toEqual([
    ...Array(26).fill('comment.add'),
    'user.delete',
  ]);
  expect(events.filter(({ data }) => data.from?.userId === author.userId)).toEqual([]);
});

it('an endpoint with a new URL is not disabled because the old URL answers 410', async () => {
  const scene = await busyScene();
  const { headers, endpointId, receiver, unanswered } = scene;
  const moved = await startReceiver();
  await update(headers, { endpointId, url: moved.url });
  await waitForWorker();
  for (const response of unanswered.splice(0)) response.writeHead(410).end();
  // What the worker had loaded goes to the new URL, each once.
  await eventually(async () => {
    const waiting = await deliveriesOf(server, headers, { status: 'pending' });
    expect(waiting.map(({ attempts }) => attempts.map(({ statusCode }) => statusCode))).toEqual(
      Array(4).fill([410]),
    );
  });
  await eventually(() => expect(moved.received).toHaveLength(26));
  const ids = [...receiver.received, ...moved.received].map(({ event }) => event.id);
  expect(new Set(ids).size).toBe(30);
  const { endpoints } = await server.ok(PATHS.get, {}, headers);
  expect(endpoints).toMatchObject([{ id: endpointId, disabled: false }]);
});

it('an endpoint that is disabled receives nothing more from a worker at its limit of requests', async () => {
  const full = await startTestServer({ ROLES: 'api', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
  const worker = new Dispatcher(full.app.services, 4);
  worker.start();
  const scene = await busyScene(full);
  await full.ok(PATHS.update, { endpointId: scene.endpointId, disabled: true }, scene.headers);
  await waitForWorker(full);
  await answerAll(scene, full);
  expect(scene.receiver.received).toHaveLength(4);
  await worker.stop();
});
