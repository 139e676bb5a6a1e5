import { STATUSES } from '../../platform/errors.ts';
import { type ApiDocument, operationsIn } from './api-document.ts';
import { STATUS_NAMES } from './failure-page.ts';
import { cell, table } from './markdown.ts';

/** The pages that list the operations, events, subscriptions and failures, in Markdown. */

export function operationsPage(document: ApiDocument): string {
  const operations = operationsIn(document);
  const groups = document.tags.flatMap((tag) => {
    const own = operations.filter(({ tags }) => tags.includes(tag.name));
    if (own.length === 0) return [];
    const rows = own.map(({ operationId, path, summary }) => [
      `[${operationId}](operations/${operationId}.md)`,
      cell(summary),
      `\`${path}\``,
    ]);
    return [
      `## ${tag['x-displayName']}`,
      tag.description,
      table(['Operation', 'Does', 'POST'], rows),
    ];
  });
  return [
    '# Operations',
    `Every operation is a \`POST\` to its path with the JSON body \`{ "data": { … } }\`, and a function of
the [client](client.md) by its dotted name. Each page has its fields and failures, and an example in
curl, TypeScript and Python, which runs with the [credentials](quickstart.md#take-the-credentials) in the
environment. For machines: [openapi.json](../openapi.json).`,
    ...groups,
  ].join('\n\n');
}

export const eventTypesPage = ({ webhooks }: ApiDocument): string =>
  [
    '# Event types',
    `What [webhooks](webhooks.md) deliver, and what \`events/get\` returns. For machines:
[asyncapi.json](../asyncapi.json).`,
    table(
      ['Event', 'Says'],
      Object.entries(webhooks).map(([type, { post }]) => [
        `[${type}](event-types/${type}.md)`,
        cell(post.summary),
      ]),
    ),
  ].join('\n\n');

export const subscriptionsPage = (document: ApiDocument): string =>
  [
    '# Subscriptions',
    `What frontends [follow live](events.md#subscriptions), over a WebSocket or as server-sent events.
For machines: [asyncapi.json](../asyncapi.json).`,
    table(
      ['Subscription', 'Does'],
      Object.entries(document['x-subscriptions']).map(([name, { summary }]) => [
        `[${name}](subscriptions/${name}.md)`,
        cell(summary),
      ]),
    ),
  ].join('\n\n');

export const failuresPage = (): string =>
  [
    '# Failures',
    'Every failure has one of these statuses. What to do about them: [errors and retries](errors.md).',
    table(
      ['Status', 'HTTP', 'May be sent again as it is'],
      STATUS_NAMES.map((status) => [
        `[${status}](failures/${status}.md)`,
        String(STATUSES[status].http),
        STATUSES[status].retryable ? 'yes' : 'no',
      ]),
    ),
  ].join('\n\n');
