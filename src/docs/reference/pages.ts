import { STATUSES, type Status } from '../../platform/errors.ts';
import type { JsonSchema } from '../../server/contract/json-schema.ts';
import type { Page } from '../page.ts';
import {
  type ApiDocument,
  type ApiEvent,
  contentOf,
  failuresOf,
  type Operation,
  operationsIn,
  type Security,
  type Subscription,
} from './api-document.ts';
import { printJson } from './literals.ts';
import { cell, fence, paragraphs, table } from './markdown.ts';
import { REMEDIES } from './remedies.ts';
import { callSamples, subscriptionSamples } from './samples.ts';
import { SchemaTables } from './schema-tables.ts';

/** Generates the reference as Markdown: for each kind of entry, a page that lists the entries, and a page for each. */
export function referencePages(document: ApiDocument): Page[] {
  const events = Object.entries(document.webhooks);
  const subscriptions = Object.entries(document['x-subscriptions']);
  const statuses = Object.keys(STATUSES) as Status[];
  return [
    ...pagesOf(
      { kind: 'Operations', introduction: OPERATIONS, head: ['Operation', 'Effect', 'Path'] },
      operationsIn(document).map((operation) => operationEntry(operation, document)),
    ),
    ...pagesOf(
      { kind: 'Event types', introduction: EVENT_TYPES, head: ['Event', 'Meaning'] },
      events.map(([type, { post }]) => eventEntry(type, post, document)),
    ),
    ...pagesOf(
      { kind: 'Subscriptions', introduction: SUBSCRIPTIONS, head: ['Subscription', 'Effect'] },
      subscriptions.map(([name, subscription]) => subscriptionEntry(name, subscription, document)),
    ),
    ...pagesOf(
      { kind: 'Failures', introduction: FAILURES, head: ['Status', 'HTTP', 'Retryable'] },
      statuses.map((status) => failureEntry(status, document)),
    ),
  ];
}

const OPERATIONS = `Every operation is a \`POST\` to its path with the JSON body \`{ "data": { … } }\`, and a function of
the [client](client.md) by its dotted name. Each page lists the fields and failures, and has an example in
curl, TypeScript and Python, which takes the [credentials](quickstart.md#read-the-credentials) from the
environment. For machines: [openapi.json](../openapi.json).`;
const EVENT_TYPES = `[Webhooks](webhooks.md) deliver these events, and \`events/get\` returns them. For machines:
[asyncapi.json](../asyncapi.json).`;
const SUBSCRIPTIONS = `Frontends [follow these changes live](events.md#subscriptions), over a WebSocket or as server-sent events.
For machines: [asyncapi.json](../asyncapi.json).`;
const FAILURES =
  'Every failure has one of these statuses. For what to do about failures, see [errors and retries](errors.md).';

interface Entry {
  name: string;
  title?: string;
  tag?: ApiDocument['tags'][number] | undefined;
  /** The cells of the entry's row in the list, without the name. */
  row: string[];
  markdown: string;
}

/** Returns a page that lists the entries of a kind, grouped by their tags if they have any, and a page for each entry. */
function pagesOf(
  { kind, introduction, head }: { kind: string; introduction: string; head: string[] },
  entries: Entry[],
): Page[] {
  const folder = kind.toLowerCase().replace(' ', '-');
  const rowOf = ({ name, row }: Entry) => [`[${name}](${folder}/${name}.md)`, ...row];
  const lists = [...Map.groupBy(entries, ({ tag }) => tag)].map(([tag, members]) =>
    paragraphs(
      tag && `## ${tag['x-displayName']}`,
      tag?.description,
      table(head, members.map(rowOf)),
    ),
  );
  const list = paragraphs(`# ${kind}`, introduction, ...lists);
  return [
    { path: folder, title: kind, section: kind, markdown: list },
    ...entries.map(({ name, title = name, tag, markdown }) => {
      const group = tag?.['x-displayName'] ?? '';
      return { path: `${folder}/${name}`, title, section: kind, group, markdown };
    }),
  ];
}

function operationEntry(operation: Operation, document: ApiDocument): Entry {
  const { summary, description, path, operationId, security, requestBody } = operation;
  const tables = new SchemaTables(document.components.schemas);
  const input = contentOf(requestBody);
  const { type, schema, example } = contentOf(operation.responses['200'] ?? {});
  const isNdjson = type === 'application/x-ndjson';
  const takesIdempotencyKey = operation.parameters.some(({ $ref }) =>
    $ref.endsWith('/IdempotencyKey'),
  );
  const idempotency = takesIdempotencyKey
    ? ' Takes an [`Idempotency-Key`](../idempotency.md), which makes it safe to send the call again.'
    : '';
  const failures = failuresOf(operation, document).map(({ status, http, value }) => [
    `[${status}](../failures/${status}.md)`,
    http,
    cell(value.error.message),
  ]);
  const markdown = paragraphs(
    `# ${summary}`,
    `\`POST ${path}\` · \`${operationId}\``,
    description,
    `Takes the credentials of ${callersOf(security)}.${idempotency} The examples read them from the
[environment](../quickstart.md#read-the-credentials).`,
    callSamples({
      name: operationId,
      path,
      schemes: Object.keys(security[0] ?? {}),
      input: (input.example as { data?: object } | undefined)?.data ?? {},
      isNdjson,
    }),
    isNdjson ? 'The response, one line for each item:' : 'The response:',
    fence('json', isNdjson ? JSON.stringify(example) : printJson(example)),
    '## Input',
    'The fields of `data`.',
    tables.input(fieldOf(input.schema, 'data')),
    '## Output',
    isNdjson
      ? paragraphs('Each line.', tables.output(schema))
      : describeResult(fieldOf(schema, 'result'), tables),
    '## Failures',
    table(['Status', 'HTTP', 'Meaning'], failures),
  );
  const tag = document.tags.find(({ name }) => operation.tags.includes(name));
  const row = [cell(summary), `\`${path}\``];
  return { name: operationId, title: summary, tag, row, markdown };
}

const fieldOf = ({ properties }: JsonSchema, name: string): JsonSchema =>
  (properties?.[name] ?? {}) as JsonSchema;

/**
 * Describes `result`. If it is the usual envelope, this describes only the parts that differ between
 * operations: `data`, and page tokens.
 */
function describeResult(result: JsonSchema, tables: SchemaTables): string {
  const { status, message, data, ...tokenFields } = result.properties ?? {};
  if (!status || !message) return paragraphs('The field `result`.', tables.output(result));
  if (!data) return 'The response has no data.';
  const tokens = Object.keys(tokenFields).map(
    (name) => `\`result.${name}\` is the token of the next page, absent or null on the last one.`,
  );
  return paragraphs('The field `result.data`.', ...tokens, tables.output(data as JsonSchema));
}

const CALLERS: Record<string, string> = {
  apiKey: 'an API key (`x-svc-api-key`, `x-svc-auth-token`)',
  workspaceId: 'a workspace (`x-svc-workspace-id`, `x-svc-workspace-auth-token`)',
  adminToken: 'the administrator (`x-svc-admin-token`)',
  userToken: 'a user (`Authorization: Bearer …`), limited to what that user may do',
};

/** Lists the allowed callers, as the end of a sentence. */
const callersOf = (security: Security): string =>
  security.map((schemes) => CALLERS[Object.keys(schemes)[0] ?? '']).join(', or of ');

const API_KEY = ['apiKey', 'authToken'];

function eventEntry(type: string, event: ApiEvent, { components }: ApiDocument): Entry {
  const { example, schema } = contentOf(event.requestBody);
  const input = { types: [type], limit: 10 };
  const markdown = paragraphs(
    `# ${type}`,
    event.summary,
    `Webhook endpoints receive this event if their \`filterTypes\` are null or contain \`${type}\`.
Guide: [webhooks](../webhooks.md). The event is also in the event log:`,
    callSamples({ name: 'events.get', path: '/v2/events/get', schemes: API_KEY, input }),
    'The event:',
    fence('json', printJson(example)),
    '## Fields',
    new SchemaTables(components.schemas).output(schema),
  );
  return { name: type, row: [cell(event.summary)], markdown };
}

/** Values for the required fields of subscriptions, to show in examples. */
const EXAMPLE_VALUES: Record<string, unknown> = {
  organizationId: 'acme',
  documentId: 'launch-plan',
  model: 'gen-4o',
  prompt: 'Make this friendlier. Answer with the text alone.',
  text: 'Your invoice is late.',
};

function subscriptionEntry(name: string, described: Subscription, document: ApiDocument): Entry {
  const tables = new SchemaTables(document.components.schemas);
  const { summary, description, security, input, item } = described;
  const values = (input.required ?? []).map((field) => [field, EXAMPLE_VALUES[field]]);
  const markdown = paragraphs(
    `# ${summary}`,
    `\`GET /trpc/${name}\` · \`${name}\``,
    description,
    `Takes the credentials of ${callersOf(security)}. Guide: [events](../events.md#subscriptions).`,
    subscriptionSamples(name, Object.fromEntries(values)),
    '## Input',
    tables.input(input),
    '## Items',
    'The field `data` of each item.',
    tables.output(item),
  );
  return { name, row: [cell(summary)], markdown };
}

function failureEntry(status: Status, document: ApiDocument): Entry {
  const { http, trpc, webSocketClose, retryable } = STATUSES[status];
  const responses = Object.values(document.components.responses).map(contentOf);
  const example = responses.find(({ examples }) => examples?.[status])?.examples?.[status];
  const all = operationsIn(document);
  const failing = all.filter((operation) =>
    failuresOf(operation, document).some((failure) => failure.status === status),
  );
  const links = failing.map(
    ({ operationId, summary }) => `- [${operationId}](../operations/${operationId}.md): ${summary}`,
  );
  const everyOperation = failing.length === all.length && 'All [operations](../operations.md).';
  const markdown = paragraphs(
    `# ${status}`,
    `HTTP ${http} · tRPC \`${trpc}\` · WebSocket close code ${webSocketClose}`,
    `${REMEDIES[status]} The same call ${retryable ? 'may succeed later' : 'will fail again'}.`,
    example && fence('json', printJson(example.value)),
    '## In your code',
    `The client itself retries calls that may succeed later. If a call still fails, it throws a \`CollaborationError\`.
Examples: [errors and retries](../errors.md#read-a-failure).`,
    '## Operations',
    everyOperation || links.join('\n') || 'None.',
  );
  return { name: status, row: [String(http), retryable ? 'yes' : 'no'], markdown };
}
