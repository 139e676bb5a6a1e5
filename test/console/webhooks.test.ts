import { describe, expect, it } from 'vitest';
import type { Headers, Loose } from '../support/answers.ts';
import { callConsole, consoleFailure, credentialsOf, signInTo } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';
import { respondWith, startReceiver } from '../support/receiver.ts';
import { createTenant, startTestServer } from '../support/server.ts';
import { createEndpoint, PATHS, secretOf, setAdvancedWebhooks } from '../support/webhooks.ts';

/** Facts about events and deliveries that only the console shows. */

const session = (apiKey = server.quickstart.apiKey) => ({ url: server.url, cookie, apiKey });
const ask = (name: string, input: object, apiKey?: string) =>
  callConsole(session(apiKey), `console.${name}`, 'query', input);
const failureOf = (name: string, input: object, apiKey?: string) =>
  consoleFailure(session(apiKey), `console.${name}`, 'query', input);

const organizationsOf = ({ data }: Loose): string[] =>
  data.map(({ organizationId }: Loose) => organizationId);

/** The event of an organization, and its delivery. */
async function eventOf(organizationId: string, apiKey?: string) {
  const { data } = await ask('events.list', { organizationId }, apiKey);
  const event = await ask('events.inspect', { eventId: data[0].id }, apiKey);
  return { event, deliveryId: event.deliveries[0]?.id as string };
}

const server = await startTestServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
const { cookie } = await signInTo(server.url, credentialsOf(server).owner);
const otherKey = (await createTenant(server))['x-svc-api-key'] ?? '';
const receiver = await startReceiver(respondWith(500, {}, 'The shop is closed.'));
const endpointId = await failingEndpoint(server.keyHeaders);
await eventually(async () => expect(receiver.received.length).toBeGreaterThanOrEqual(3));

/** The endpoint of a key, and three events for it. */
async function failingEndpoint(headers: Headers): Promise<string> {
  await setAdvancedWebhooks(server, headers, true);
  const input = { url: receiver.url, filterTypes: ['organization.add'], description: 'Shop' };
  const { id } = await createEndpoint(server, headers, input);
  for (const organizationId of ['one', 'two', 'three']) {
    await server.ok('/v2/organizations/add', { organizations: [{ organizationId }] }, headers);
  }
  return id;
}

describe('the event log of the console', () => {
  it('gives the newest first, page after page, without a gap, and no page of another query', async () => {
    const filter = { types: ['organization.add'], limit: 2 };
    const first = await ask('events.list', filter);
    const second = await ask('events.list', { ...filter, pageToken: first.nextPageToken });
    expect(organizationsOf(first)).toEqual(['three', 'two']);
    expect(organizationsOf(second)[0]).toBe('one');
    expect(second.nextPageToken).toBeUndefined();
    const refused = await failureOf('events.list', { pageToken: first.nextPageToken });
    expect(refused).toMatchObject({ status: 'INVALID_ARGUMENT' });
  });

  it('shows nothing of another key, not even by the id of an event or of a delivery', async () => {
    const { event, deliveryId } = await eventOf('one');
    expect(organizationsOf(await ask('events.list', {}, otherKey))).not.toContain('one');
    for (const refused of [
      await failureOf('events.inspect', { eventId: event.id }, otherKey),
      await failureOf('webhooks.delivery', { deliveryId }, otherKey),
    ]) {
      expect(refused).toMatchObject({ status: 'NOT_FOUND' });
    }
  });
});

describe('a delivery in the console', () => {
  it('has the body that was sent, every answer, and no signature or secret', async () => {
    const { deliveryId } = await eventOf('one');
    const delivery = await eventually(async () => {
      const found = await ask('webhooks.delivery', { deliveryId });
      expect(found.attempts.length).toBeGreaterThan(0);
      return found;
    });
    const sent = receiver.received.find(({ event }) => event.id === delivery.eventId);
    expect(delivery.body).toBe(sent?.body);
    expect(delivery.attempts[0]).toMatchObject({
      statusCode: 500,
      excerpt: 'The shop is closed.',
    });
    for (const [name, value] of Object.entries(delivery.headers)) {
      expect(sent?.headers[name]).toBe(value);
    }
    const secret = await secretOf(server, server.keyHeaders, endpointId);
    expect(JSON.stringify(delivery)).not.toContain(secret);
    expect(delivery.headers).not.toHaveProperty('webhook-signature');
  });

  it('has no next attempt while its endpoint is disabled', async () => {
    const own = await createTenant(server);
    const apiKey = own['x-svc-api-key'];
    const endpointId = await failingEndpoint(own);
    const delivery = async () => {
      const { deliveryId } = await eventOf('one', apiKey);
      return ask('webhooks.delivery', { deliveryId }, apiKey);
    };
    await eventually(async () =>
      expect(await delivery()).toMatchObject({
        status: 'pending',
        nextAttemptAt: expect.any(Number),
      }),
    );
    await server.ok(PATHS.update, { endpointId, disabled: true }, own);
    expect(await delivery()).toMatchObject({ status: 'disabled', nextAttemptAt: null });
  });
});

it('the health of endpoints says since when one fails and what was answered last, also to an older event, for its own key alone', async () => {
  await eventually(async () => {
    const { endpoints } = await ask('webhooks.health', {});
    expect(endpoints).toMatchObject([
      {
        endpointId,
        failingSince: expect.any(Number),
        lastSuccessAt: null,
        pending: 3,
        lastHour: { delivered: 0, failed: 0, total: 3 },
        lastAttempt: { statusCode: 500 },
      },
    ]);
  });
  expect(await ask('webhooks.health', {}, otherKey)).toEqual({ endpoints: [] });
  const { deliveryId } = await eventOf('one');
  receiver.respond = respondWith(404);
  await server.ok(PATHS.resend, { deliveryId }, server.keyHeaders);
  await eventually(async () => {
    const { attempts } = await ask('webhooks.delivery', { deliveryId });
    expect(attempts.at(-1)).toMatchObject({ statusCode: 404 });
  });
  const { endpoints } = await ask('webhooks.health', {});
  expect(endpoints[0].lastAttempt).toMatchObject({ statusCode: 404 });
});
