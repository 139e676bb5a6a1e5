import { z } from 'zod';
import type { EventType, EventTypes } from '../../platform/events/event-types.ts';
import { eventEnvelope } from '../event-envelope.ts';

type Json = Record<string, unknown>;

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** The headers of deliveries to advanced webhook endpoints (Standard Webhooks). */
const PARAMETERS = [
  header('webhook-id', "The event's id: the same when it is sent again."),
  header('webhook-timestamp', 'Unix seconds.'),
  header('webhook-signature', '`v1,` and the HMAC-SHA256 over `id.timestamp.body`, in base64.'),
];

/**
 * Describes the events as webhook requests, with the schemas that they share with the operations.
 */
export function describeEvents(types: EventTypes): { webhooks: Json; schemas: Json } {
  const described = Object.entries(types).map(([type, facts]) => describe(type, facts));
  return {
    webhooks: Object.fromEntries(described.map(({ type, post }) => [type, { post }])),
    schemas: Object.assign({}, ...described.map(({ shared }) => shared)),
  };
}

function describe(type: string, { summary, data, example }: EventType) {
  const { $schema: _, $defs, ...schema } = jsonSchema(eventEnvelope(z.literal(type), data));
  const envelope = {
    id: '4fTq8bV1nXcL0sKzR7Wd',
    type,
    timestamp: '2026-01-05T09:00:00.000Z',
    metadata: { apiKey: 'key', organizationId: 'acme' },
    data: example,
  };
  const post = {
    operationId: type,
    summary,
    tags: ['eventTypes'],
    parameters: PARAMETERS,
    requestBody: { content: { 'application/json': { schema, example: envelope } } },
    responses: { '2XX': { description: 'Received. Any other response is retried later.' } },
  };
  return { type, post, shared: $defs ?? {} };
}

/** A schema that is used several times occurs once in the document. */
function jsonSchema(schema: z.ZodType): Json {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'output' }));
  return JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/'));
}
