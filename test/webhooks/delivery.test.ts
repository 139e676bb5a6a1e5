import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, fresh } from '../support/answers.ts';
import { allEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { createEndpoint, PATHS, secretOf, webhookTenant } from '../support/webhooks.ts';

type Headers = Record<string, string>;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
});

const addDocument = async (headers: Headers, organizationId = fresh('org')) => {
  const documents = [{ documentId: fresh('doc'), documentName: 'Größe "A" \u2028 😀' }];
  const input = { organizationId, createOrganization: true, documents };
  dataOf(await server.call('/v2/organizations/documents/add', input, headers));
};

describe('a delivery', () => {
  it('carries the event as events/get shows it, signed so that both libraries accept it', async () => {
    const headers = await webhookTenant(server);
    const receiver = await startReceiver();
    const { id } = await createEndpoint(server, headers, { url: `${receiver.url}/in?a=b` });
    const secret = await secretOf(server, headers, id);
    await addDocument(headers);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    const events = await allEvents(server, {}, headers);
    expect(receiver.received.map(({ event }) => event)).toEqual(expect.arrayContaining(events));
    for (const { body, headers: sent, event, path } of receiver.received) {
      expect(path).toBe('/in?a=b');
      expect(sent['content-type']).toBe('application/json');
      expect(sent['webhook-id']).toBe(event.id);
      expect(new Webhook(secret).verify(body, sent)).toEqual(event);
      expect(new SvixWebhook(secret).verify(body, sent)).toEqual(event);
    }
    await eventually(async () => {
      const { deliveries } = dataOf(await server.call(PATHS.deliveries, {}, headers));
      expect(deliveries.map((one: { status: string }) => one.status)).toEqual([
        'delivered',
        'delivered',
      ]);
      expect(deliveries[0].attempts).toEqual([
        {
          at: expect.any(Number),
          statusCode: 200,
          latencyMs: expect.any(Number),
          error: null,
          excerpt: '',
        },
      ]);
    });
  });
});
