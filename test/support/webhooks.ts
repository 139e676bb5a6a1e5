import { expect } from 'vitest';
import { eventTypes } from '../../src/features/index.ts';
import { webhookReader } from '../../src/features/webhooks/webhook-reader.ts';
import type { Headers } from './answers.ts';
import { storedEvents } from './events.ts';
import { eventually } from './eventually.ts';
import { type Respond, startReceiver } from './receiver.ts';
import { createTenant, type TestServer } from './server.ts';

const PATH = '/v2/workspace/advancedwebhook';

export const PATHS = {
  create: `${PATH}/endpoints/create`,
  get: `${PATH}/endpoints/get`,
  update: `${PATH}/endpoints/update`,
  delete: `${PATH}/endpoints/delete`,
  recover: `${PATH}/endpoints/recover`,
  getSecret: `${PATH}/endpoints/secret/get`,
  rotateSecret: `${PATH}/endpoints/secret/rotate`,
  deliveries: `${PATH}/deliveries/get`,
  resend: `${PATH}/deliveries/resend`,
};

/** A separate key with advanced webhooks. */
export async function webhookTenant(server: TestServer): Promise<Headers> {
  const headers = await createTenant(server);
  await setAdvancedWebhooks(server, headers, true);
  return headers;
}

/** A key with an endpoint, whose receiver answers like this. */
export async function webhookScene(server: TestServer, respond?: Respond, input: object = {}) {
  const headers = await webhookTenant(server);
  const receiver = await startReceiver(respond);
  const { id } = await createEndpoint(server, headers, { url: receiver.url, ...input });
  return { headers, receiver, endpointId: id as string };
}
export type WebhookScene = Awaited<ReturnType<typeof webhookScene>>;

export async function setAdvancedWebhooks(
  server: TestServer,
  headers: Headers,
  isEnabled: boolean,
) {
  await server.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled }, headers);
}

export const createEndpoint = (server: TestServer, headers: Headers, input: object) =>
  server.ok(PATHS.create, input, headers);

/** Copies the only endpoint of a key. Deliveries to the copies wait, as their secrets are not readable. */
export async function copyEndpoint(server: TestServer, headers: Headers, count: number) {
  await server.app.services.db.pool.query(
    `INSERT INTO webhook_endpoints
       (tenant_id, id, url, sealed_secret, start_sequence, created_at, updated_at)
     SELECT tenant_id, 'copy-' || n, url, sealed_secret, start_sequence, created_at, updated_at
     FROM webhook_endpoints, generate_series(1, $2::int) AS n WHERE tenant_id = $1`,
    [headers['x-svc-api-key'], count],
  );
}

export async function secretOf(server: TestServer, headers: Headers, endpointId: string) {
  const { secret } = await server.ok(PATHS.getSecret, { endpointId }, headers);
  return secret as string;
}

/** A delivery as deliveries/get returns it. */
export interface ShownDelivery {
  id: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  status: string;
  nextAttemptAt: number | null;
  attempts: Array<{ at: number; statusCode: number | null; error: string; excerpt: string }>;
}

export async function deliveriesOf(
  server: TestServer,
  headers: Headers,
  query: object = {},
): Promise<ShownDelivery[]> {
  return (await server.ok(PATHS.deliveries, query, headers)).deliveries;
}

/** Waits until this many attempts of the only delivery to an endpoint are stored. */
export const attempted = (
  server: TestServer,
  { headers, endpointId }: WebhookScene,
  count = 1,
): Promise<ShownDelivery> =>
  eventually(async () => {
    const [delivery, ...others] = await deliveriesOf(server, headers, { endpointId });
    expect(others).toEqual([]);
    expect(delivery?.attempts).toHaveLength(count);
    if (!delivery) throw new Error('There is no delivery.');
    return delivery;
  });

/** Appends events of a key, with or without a document. `data` is merged into the type's example. */
export async function publishEvents(
  server: TestServer,
  headers: Headers,
  published: Array<{ type?: string; documentId?: string; channels?: string[]; data?: object }>,
): Promise<void> {
  const { db, events } = server.app.services;
  const rows = published.map(({ type = 'comment.add', documentId, channels = [], data = {} }) => ({
    type,
    channels,
    data: { ...eventTypes[type]?.example, ...data },
    ...(documentId && { organizationId: 'acme', documentId }),
  }));
  await db.transaction((tx) => events.append(tx, headers['x-svc-api-key'] ?? '', rows));
}

/**
 * Makes deliveries of the events of a key, as the reader of the log does.
 *
 * @returns the sequence of the last event, after which the next call may begin
 */
export async function fanOut(server: TestServer, headers: Headers, after = '0'): Promise<string> {
  const { services } = server.app;
  const events = await storedEvents(server, { headers, after });
  await services.db.transaction((tx) => webhookReader.handle(services, tx, events));
  return events.at(-1)?.sequence ?? after;
}
