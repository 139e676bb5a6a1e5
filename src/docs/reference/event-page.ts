import type { ApiDocument } from './api-document.ts';
import { samplesOfCall } from './examples.ts';
import { code, fence, json } from './markdown.ts';
import { SchemaDescriber } from './schema-tables.ts';

const API_KEY = [{ apiKey: [], authToken: [] }];

/** Writes the page of an event type in Markdown. */
export function eventPage(type: string, { webhooks, components }: ApiDocument): string {
  const event = webhooks[type]?.post;
  const body = event?.requestBody.content['application/json'];
  if (!event || !body) throw new Error(`The document has no event ${type}.`);
  const samples = samplesOfCall({
    operationId: 'events.get',
    path: '/v2/events/get',
    security: API_KEY,
    input: { types: [type], limit: 10 },
    isNdjson: false,
  });
  return [
    `# ${type}`,
    event.summary,
    `Webhook endpoints receive it when their ${code('filterTypes')} are null or contain ${code(type)}.
Guide: [webhooks](../webhooks.md). The log of events has it, too:`,
    ...samples.map(({ language, source }) => fence(language, source)),
    'The event:',
    json(body.example),
    '## Fields',
    new SchemaDescriber(components.schemas).output(body.schema),
  ].join('\n\n');
}
