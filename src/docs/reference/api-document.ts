import type { JsonSchema } from '../../server/contract/json-schema.ts';

/** The parts of the committed OpenAPI document from which the pages of the reference are written. */
export interface ApiDocument {
  tags: Array<{ name: string; 'x-displayName': string; description: string }>;
  paths: Record<string, { post: Omit<Operation, 'path'> }>;
  webhooks: Record<string, { post: ApiEvent }>;
  'x-subscriptions': Record<string, Subscription>;
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, Body> };
}

export interface Operation {
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Security;
  parameters: Array<{ $ref: string }>;
  requestBody: Body;
  responses: Record<string, Partial<Body> & { $ref?: string }>;
}

export interface ApiEvent {
  summary: string;
  requestBody: Body;
}

export interface Subscription {
  summary: string;
  description: string;
  security: Security;
  input: JsonSchema;
  item: JsonSchema;
}

/** The alternatives for the credentials of a call. The call needs all schemes of one alternative. */
export type Security = Array<Record<string, string[]>>;

interface Body {
  /** The schemas and examples by media type. */
  content: Record<string, { schema: JsonSchema; example?: unknown; examples?: Examples }>;
}

type Examples = Record<string, { value: { error: { message: string } } }>;

/** The operations with their paths, in the order of the document. */
export const operationsIn = ({ paths }: ApiDocument): Operation[] =>
  Object.entries(paths).map(([path, { post }]) => ({ ...post, path }));

/** The content of a body, which has one media type. */
export function contentOf({ content = {} }: Partial<Body>) {
  const [[type, body] = []] = Object.entries(content);
  if (!type || !body) throw new Error('The document describes a body without content.');
  return { ...body, type };
}

/** The failures of an operation, as the document shows them. */
export function failuresOf({ responses }: Operation, { components }: ApiDocument) {
  return Object.entries(responses).flatMap(([http, { $ref }]) => {
    const response = components.responses[$ref?.split('/').at(-1) ?? ''];
    const examples = response ? Object.entries(contentOf(response).examples ?? {}) : [];
    return examples.map(([status, { value }]) => ({ status, http, value }));
  });
}
