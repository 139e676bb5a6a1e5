import { eventTypes } from '../../src/features/index.ts';
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

type Headers = Record<string, string>;

/** A separate key with advanced webhooks. */
export async function webhookTenant(server: TestServer): Promise<Headers> {
  const headers = await createTenant(server);
  await setAdvancedWebhooks(server, headers, true);
  return headers;
}

export async function setAdvancedWebhooks(
  server: TestServer,
  headers: Headers,
  isEnabled: boolean,
) {
  await server.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled }, headers);
}

export const createEndpoint = (server: TestServer, headers: Headers, input: object) =>
  server.ok(PATHS.create, input, headers);

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
