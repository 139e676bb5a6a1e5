import type { JsonSchema } from '../../server/contract/json-schema.ts';

/** The parts of the committed OpenAPI document from which the pages of the reference are written. */
export interface ApiDocument {
  tags: Array<{ name: string; 'x-displayName': string; description: string }>;
  paths: Record<string, { post: ApiOperation }>;
  webhooks: Record<string, { post: ApiEvent }>;
  'x-subscriptions': Record<string, ApiSubscription>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ApiResponse>;
  };
}

export interface ApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Security;
  parameters: Array<{ $ref: string }>;
  requestBody: { content: Content };
  responses: Record<string, ApiResponse | { $ref: string }>;
}

/** Alternatives. All schemes of one go together. */
export type Security = Array<Record<string, string[]>>;

interface ApiEvent {
  summary: string;
  requestBody: { content: Content };
}

export interface ApiSubscription {
  summary: string;
  description: string;
  security: Security;
  input: JsonSchema;
  item: JsonSchema;
}

interface ApiResponse {
  description: string;
  content: Content;
}

/** By media type. */
type Content = Record<
  string,
  { schema: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> }
>;

/** The operations with their paths, in the order of the document. */
export const operationsIn = ({ paths }: ApiDocument): Array<ApiOperation & { path: string }> =>
  Object.entries(paths).map(([path, { post }]) => ({ ...post, path }));

/** The `data` of an operation's example. */
export function exampleInput({ requestBody }: ApiOperation): object {
  const example = requestBody.content['application/json']?.example;
  return (example as { data: object } | undefined)?.data ?? {};
}

/** The response of a success: its media type, schema and example. */
export function successOf({ operationId, responses }: ApiOperation) {
  const response = responses['200'];
  const content = response && 'content' in response ? Object.entries(response.content)[0] : [];
  const [type, body] = content ?? [];
  if (!type || !body) throw new Error(`${operationId} has no described success.`);
  return { type, ...body };
}
