import { dataOf } from './answers.ts';
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

/** A key of its own, with advanced webhooks. */
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
  dataOf(await server.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled }, headers));
}

export async function createEndpoint(server: TestServer, headers: Headers, input: object) {
  return dataOf(await server.call(PATHS.create, input, headers));
}

export async function secretOf(server: TestServer, headers: Headers, endpointId: string) {
  const { secret } = dataOf(await server.call(PATHS.getSecret, { endpointId }, headers));
  return secret as string;
}
