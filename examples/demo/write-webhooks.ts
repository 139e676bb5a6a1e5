import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { CollaborationError } from '../../src/client/index.ts';
import { type Demo, unlessItExists } from './demo.ts';

const APPROVALS = ['comment_annotation.approve', 'comment_annotation.reject'];
/** A host that cannot exist, by definition (RFC 2606), so that nobody receives these requests. */
const UNREACHABLE_URL = 'https://hooks.kestrel-motors.invalid/collaboration';
const WAIT_MS = 10_000;

/** A receiver of webhooks, until it is disposed of. */
export interface DemoReceiver extends AsyncDisposable {
  /** Waits until the archive endpoint has received everything, or ten seconds have passed. */
  waitForDeliveries(): Promise<void>;
}

/**
 * Creates three endpoints. The first one cannot be reached. If the server may send to this machine
 * (OUTBOUND_ALLOWED_NETWORKS), requests to the other two are received here: one responds with success, and
 * the other with 410 Gone. Otherwise these two endpoints are disabled.
 */
export async function writeWebhooks({ client }: Demo): Promise<DemoReceiver> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/gone' ? 410 : 204).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const local = (path: string) => `http://127.0.0.1:${port}/${path}`;
  const create = (endpoint: Parameters<typeof client.webhookEndpoints.create>[0]) =>
    unlessItExists(client.webhookEndpoints.create(endpoint));
  await create({
    uid: 'demo-failing',
    url: UNREACHABLE_URL,
    description: 'Kestrel Motors: order system (never responds)',
    filterTypes: ['document.add', ...APPROVALS],
  });
  const others = [
    { uid: 'demo-archive', path: 'archive', description: 'Archive of decisions' },
    { uid: 'demo-gone', path: 'gone', description: 'Old intranet (gone)' },
  ];
  for (const { path, ...endpoint } of others) {
    const filterTypes = [...APPROVALS, 'recording.add'];
    const settings = { ...endpoint, filterTypes, metadata: { team: 'quality' } };
    await create({ ...settings, url: local(path) }).catch(async (error) => {
      if (!isNotAllowed(error)) throw error;
      await create({ ...settings, url: `${UNREACHABLE_URL}/${path}`, disabled: true });
    });
  }
  return {
    waitForDeliveries: () => waitForArchive(client),
    async [Symbol.asyncDispose]() {
      receiver.close();
      receiver.closeAllConnections();
    },
  };
}

const isNotAllowed = (error: unknown): boolean =>
  error instanceof CollaborationError && error.issues.some(({ path }) => path === 'url');

/** Waits only for the archive endpoint, since the deliveries to the failing endpoint are retried for a day. */
async function waitForArchive(client: Demo['client']): Promise<void> {
  const { endpoints } = await client.webhookEndpoints.get({});
  const archive = endpoints.find(({ uid }) => uid === 'demo-archive');
  if (!archive || archive.disabled) return;
  const pending = { endpointId: archive.id, status: 'pending', limit: 1 } as const;
  const deadline = Date.now() + WAIT_MS;
  while (Date.now() < deadline) {
    const { deliveries } = await client.webhookDeliveries.get(pending);
    if (deliveries.length === 0) return;
    await delay(200);
  }
}
