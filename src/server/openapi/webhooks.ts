import type { EventTypes } from '../../platform/events/event-types.ts';
import { type Contract, mapValues } from '../contract/describe-contract.ts';
import { schemaOf } from './schemas.ts';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The headers of deliveries to advanced webhook endpoints (Standard Webhooks), by component. */
export const DELIVERY_HEADERS = {
  WebhookId: header('webhook-id', "The event's id, the same in every delivery."),
  WebhookTimestamp: header('webhook-timestamp', 'Unix seconds.'),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 over `id.timestamp.body`, in base64.',
  ),
};

const PARAMETERS = Object.keys(DELIVERY_HEADERS).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

interface DescribedEvent {
  summary: string;
  requestBody: { content: { 'application/json': { schema: object; example: object } } };
}

/** Describes the events as webhook requests, which carry a signature and no credentials. */
export const describeEvents = (
  types: EventTypes,
  { events }: Contract,
): Record<string, { post: DescribedEvent }> =>
  mapValues(events, (event, type) => {
    const envelope = {
      id: '4fTq8bV1nXcL0sKzR7Wd',
      type,
      timestamp: '2026-01-05T09:00:00.000Z',
      metadata: { apiKey: 'key', organizationId: 'acme' },
      data: types[type]?.example,
    };
    const post = {
      // The prefix is needed since some operations have the name of an event, such as presence.update.
      operationId: `webhook.${type}`,
      summary: event.summary,
      tags: ['eventTypes'],
      security: [],
      parameters: PARAMETERS,
      requestBody: {
        content: { 'application/json': { schema: schemaOf(event), example: envelope } },
      },
      responses: { '2XX': { description: 'Received. Any other response is retried later.' } },
    };
    return { post };
  });
