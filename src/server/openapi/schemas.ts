import type { OperationMeta } from '../../api/operation-meta.ts';
import type { Contract, DescribedOperation, NamedSchema } from '../contract/describe-contract.ts';
import { type JsonSchema, modelNameOf, referenceTo } from '../contract/json-schema.ts';

/**
 * The components that bodies refer to: models, inputs, outputs and events. Pages are inlined,
 * and a schema that only refers to a model needs no component.
 */
export function componentSchemas({ models, operations, events }: Contract): JsonSchema {
  const bodies = Object.values(operations).flatMap(({ meta, input, output }) =>
    output && !isPage(meta) ? [input, output] : [input],
  );
  const added = [...bodies, ...Object.values(events)];
  return {
    ...models,
    ...Object.fromEntries(added.filter(needsComponent).map(({ name, schema }) => [name, schema])),
  };
}

const isPage = ({ envelope }: OperationMeta): boolean =>
  envelope === 'page' || envelope === 'ndjson';

const needsComponent = ({ schema }: NamedSchema): boolean => modelNameOf(schema) === undefined;

/** Returns a reference to the component of a schema, or the schema itself if it needs no component. */
export const schemaOf = ({ name, schema }: NamedSchema): JsonSchema =>
  needsComponent({ name, schema }) ? referenceTo(name) : schema;

/** The body of a request: `{ data }`. */
export const requestSchema = (input: NamedSchema): JsonSchema =>
  objectSchema({ data: schemaOf(input) });

/** The body of a success, as `successEnvelope` makes it; for `ndjson`, one line of the response. */
export function responseSchema({ meta, output }: DescribedOperation): JsonSchema {
  if (meta.envelope === 'ndjson') return itemsOf(pageOf(meta, output).data);
  return closedObjectSchema({ result: resultSchema(meta, output) });
}

function resultSchema(meta: OperationMeta, output: NamedSchema | undefined): JsonSchema {
  if (meta.envelope === 'bare' && output) return schemaOf(output);
  const head = { status: constant('success'), message: constant(meta.message) };
  if (meta.envelope !== 'page')
    return closedObjectSchema(output ? { ...head, data: schemaOf(output) } : head);
  const { data, nextPageToken } = pageOf(meta, output);
  const page = closedObjectSchema({ ...head, data, [meta.pageTokenField]: nextPageToken });
  return isTokenRequired(output) ? page : { ...page, required: [...Object.keys(head), 'data'] };
}

function pageOf({ path }: OperationMeta, output: NamedSchema | undefined) {
  const { data, nextPageToken } = output?.schema.properties ?? {};
  if (!data || !nextPageToken) throw new Error(`${path} must have pages as output.`);
  return { data: listOf(data as JsonSchema), nextPageToken: nextPageToken as JsonSchema };
}

/** Whether every page has a token, which is null on the last page. */
export const isTokenRequired = (output: NamedSchema | undefined): boolean =>
  output?.schema.required?.includes('nextPageToken') ?? false;

/**
 * Returns the schema of a page's items as a list. `commentAnnotations.get` can also return them as a map, which
 * is left out: generated clients could not read a union, and `commentAnnotations.getGrouped` has the map.
 */
const listOf = (data: JsonSchema): JsonSchema =>
  (data.anyOf as JsonSchema[] | undefined)?.find(({ type }) => type === 'array') ?? data;

function itemsOf({ items }: JsonSchema): JsonSchema {
  if (items && typeof items === 'object' && !Array.isArray(items)) return items as JsonSchema;
  throw new Error('The pages of an operation that sends NDJSON must be lists.');
}

const constant = (value: string): JsonSchema => ({ type: 'string', const: value });

const objectSchema = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const closedObjectSchema = (properties: Record<string, JsonSchema>): JsonSchema => ({
  ...objectSchema(properties),
  additionalProperties: false,
});
