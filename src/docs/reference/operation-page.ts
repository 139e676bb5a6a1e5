import type { JsonSchema } from '../../server/contract/json-schema.ts';
import { type ApiDocument, type ApiOperation, type Security, successOf } from './api-document.ts';
import { samplesOf } from './examples.ts';
import { cell, code, fence, json, table } from './markdown.ts';
import { SchemaDescriber } from './schema-tables.ts';

type Operation = ApiOperation & { path: string };
type Fields = Record<string, JsonSchema | undefined>;

/** Writes the page of an operation in Markdown. */
export function operationPage(operation: Operation, document: ApiDocument): string {
  const { summary, description, path, operationId } = operation;
  const describer = new SchemaDescriber(document.components.schemas);
  const input = fieldOf(operation.requestBody.content['application/json']?.schema, 'data');
  const success = successOf(operation);
  const isNdjson = success.type === 'application/x-ndjson';
  const output = isNdjson
    ? ['Each line.', describer.output(success.schema)]
    : describeResult(fieldOf(success.schema, 'result'), describer);
  return [
    `# ${summary}`,
    `${code(`POST ${path}`)} · ${code(operationId)}`,
    ...(description ? [description] : []),
    credentials(operation),
    ...samplesOf(operation).map(({ language, source }) => fence(language, source)),
    isNdjson ? 'The answer, one line for each item:' : 'The answer:',
    isNdjson ? fence('json', JSON.stringify(success.example)) : json(success.example),
    '## Input',
    'The fields of `data`.',
    describer.input(input),
    '## Output',
    ...output,
    '## Failures',
    failureTable(operation, document),
  ].join('\n\n');
}

const fieldOf = (schema: JsonSchema | undefined, name: string): JsonSchema =>
  (schema?.properties?.[name] ?? {}) as JsonSchema;

/** Describes `result`; of the usual envelope only the parts that differ between operations. */
function describeResult(result: JsonSchema, describer: SchemaDescriber): string[] {
  const { status, message, data, ...others } = (result.properties ?? {}) as Fields;
  if (!status || !message) return ['The field `result`.', describer.output(result)];
  if (!data) return ['The answer has no data.'];
  const tokens = Object.keys(others).map(
    (name) => `\`result.${name}\` is the token of the next page, absent or null on the last one.`,
  );
  return ['The field `result.data`.', ...tokens, describer.output(data)];
}

const CALLERS: Record<string, string> = {
  apiKey: 'an API key (`x-svc-api-key`, `x-svc-auth-token`)',
  workspaceId: 'a workspace (`x-svc-workspace-id`, `x-svc-workspace-auth-token`)',
  adminToken: 'the administrator (`x-svc-admin-token`)',
  userToken: 'a user (`Authorization: Bearer …`), limited to what that user may do',
};

/** The callers that are allowed, in a sentence. */
export const callersOf = (security: Security): string =>
  security.map((schemes) => CALLERS[Object.keys(schemes)[0] ?? '']).join(', or of ');

function credentials({ security, parameters }: Operation): string {
  const isRepeatable = parameters.some(({ $ref }) => $ref.endsWith('/IdempotencyKey'));
  const key = isRepeatable
    ? ' Takes an [`Idempotency-Key`](../idempotency.md), which makes it safe to send again.'
    : '';
  return `Takes the credentials of ${callersOf(security)}.${key} The examples read theirs from the
[environment](../quickstart.md#take-the-credentials).`;
}

/** The statuses that an operation may fail with. */
function failureTable({ responses }: Operation, { components }: ApiDocument): string {
  const rows = Object.entries(responses).flatMap(([http, response]) => {
    if (!('$ref' in response)) return [];
    const failure = components.responses[response.$ref.split('/').at(-1) ?? ''];
    const examples = failure?.content['application/json']?.examples ?? {};
    return Object.entries(examples).map(([status, { value }]) => {
      const { message } = (value as { error: { message: string } }).error;
      return [`[${status}](../failures/${status}.md)`, http, cell(message)];
    });
  });
  return table(['Status', 'HTTP', 'Meaning'], rows);
}
