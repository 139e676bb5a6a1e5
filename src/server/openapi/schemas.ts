import type { OperationMeta } from '../../api/operation-meta.ts';
import type { Contract, Named } from '../contract/describe-contract.ts';
import { type JsonSchema, modelNameOf, referenceTo } from '../contract/json-schema.ts';
import type { Operation } from '../rest.ts';

/**
 * The components that bodies refer to: models, inputs, outputs and events. Pages are written in place,
 * and a schema that only refers to a model needs no component.
 */
export function componentSchemas(contract: Contract, operations: Operation[]): JsonSchema {
  const bodies = operations.flatMap(({ name, meta }) => {
    const { input, output } = contract.operations[name] ?? {};
    return [input, isPage(meta) ? undefined : output].filter((body) => body !== undefined);
  });
  const added = [...bodies, ...Object.values(contract.events)];
  return {
    ...contract.models,
    ...Object.fromEntries(added.filter(needsComponent).map(({ name, schema }) => [name, schema])),
  };
}

const isPage = ({ envelope }: OperationMeta): boolean =>
  envelope === 'page' || envelope === 'ndjson';

const needsComponent = ({ schema }: Named): boolean => modelNameOf(schema) === undefined;

/** Returns a reference to the component of a schema, or the schema itself where it needs none. */
export const schemaOf = ({ name, schema }: Named): JsonSchema =>
  needsComponent({ name, schema }) ? referenceTo(name) : schema;

/** The body of a request: `{ data }`. */
export const requestSchema = (input: Named): JsonSchema => object({ data: schemaOf(input) });

/** The body of a success, as `successEnvelope` makes it; for `ndjson`, one line of the answer. */
export function answerSchema({ meta }: Operation, output: Named | undefined): JsonSchema {
  if (meta.envelope === 'ndjson') return itemsOf(pageOf(meta, output).data);
  return closed({ result: resultSchema(meta, output) });
}

function resultSchema(meta: OperationMeta, output: Named | undefined): JsonSchema {
  if (meta.envelope === 'bare' && output) return schemaOf(output);
  const head = { status: constant('success'), message: constant(meta.message) };
  if (meta.envelope !== 'page') return closed(output ? { ...head, data: schemaOf(output) } : head);
  const { data, nextPageToken, isTokenRequired } = pageOf(meta, output);
  const page = closed({ ...head, data, [meta.pageTokenField]: nextPageToken });
  return isTokenRequired ? page : { ...page, required: [...Object.keys(head), 'data'] };
}

function pageOf({ path }: OperationMeta, output: Named | undefined) {
  const { properties: { data, nextPageToken } = {}, required } = output?.schema ?? {};
  if (!data || !nextPageToken) throw new Error(`${path} must have pages as output.`);
  const isTokenRequired = required?.includes('nextPageToken') ?? false;
  return {
    data: listOf(data as JsonSchema),
    nextPageToken: nextPageToken as JsonSchema,
    isTokenRequired,
  };
}

/**
 * Returns the schema of the list where the items of a page are a list or a map. The map is left out, since
 * generated clients could not read a union: `commentAnnotations.getGrouped` returns it.
 */
const listOf = (data: JsonSchema): JsonSchema =>
  (data.anyOf as JsonSchema[] | undefined)?.find(({ type }) => type === 'array') ?? data;

function itemsOf({ items }: JsonSchema): JsonSchema {
  if (items && typeof items === 'object' && !Array.isArray(items)) return items as JsonSchema;
  throw new Error('The pages of an operation that sends NDJSON must be lists.');
}

const constant = (value: string): JsonSchema => ({ type: 'string', const: value });

const object = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const closed = (properties: Record<string, JsonSchema>): JsonSchema => ({
  ...object(properties),
  additionalProperties: false,
});
