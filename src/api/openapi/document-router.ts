import { initTRPC } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import type { OperationMeta } from '../operation-meta.ts';
import type { Operation } from '../rest.ts';
import { definitionOf } from '../trpc-internals.ts';

const openapi = initTRPC.meta<OpenApiMeta>().create();

/**
 * Builds a router that is only read by the document generator, with bodies in their REST form `{
 * data }` and `{ result }`. Its schemas are copies, since the generator may enable coercion inside
 * the schemas that it reads, and must not do so for procedures that serve requests.
 */
export function documentRouter(operations: Operation[]) {
  return openapi.router(
    Object.fromEntries(operations.map((operation) => [operation.name, documented(operation)])),
  );
}

function documented(operation: Operation) {
  const { name, meta } = operation;
  const { input, output } = schemasOf(operation);
  const procedure = openapi.procedure
    .meta({
      openapi: {
        method: 'POST',
        path: meta.path,
        operationId: name,
        summary: meta.summary,
        ...(meta.description ? { description: meta.description } : {}),
        tags: [featureOf(name)],
        protect: false,
        errorResponses: [],
      },
    })
    .input(z.object({ data: input }))
    .output(z.object({ result: resultSchema(meta, output) }));
  return isWrite(operation) ? procedure.mutation(neverCalled) : procedure.query(neverCalled);
}

function neverCalled(): never {
  throw new Error('This router is for the document only.');
}

export function schemasOf({ name, procedure }: Operation): { input: z.ZodType; output: z.ZodType } {
  const { inputs, output } = definitionOf(procedure);
  const [input] = inputs;
  if (!input || inputs.length > 1 || !output) {
    throw new Error(`${name} must have one input schema and one output schema.`);
  }
  return { input, output };
}

/** The schema of the result of `successEnvelope`. */
function resultSchema(meta: OperationMeta, output: z.ZodType): z.ZodType {
  if (meta.envelope === 'bare') return output;
  const head = { status: z.literal('success'), message: z.literal(meta.message) };
  if (meta.envelope === 'data') {
    return z.object(isNothing(output) ? head : { ...head, data: output });
  }
  if (!(output instanceof z.ZodObject)) throw new Error(`${meta.path} must have pages as output.`);
  const { data, nextPageToken } = output.shape;
  if (meta.envelope === 'ndjson') return itemOf(data);
  return z.object({ ...head, data, [meta.pageTokenField]: nextPageToken });
}

const itemOf = (data: unknown): z.ZodType => {
  if (data instanceof z.ZodArray && data.element instanceof z.ZodType) return data.element;
  throw new Error('What is sent in lines must be a list.');
};

/** Returns the first part of an operation's dotted name. */
export const featureOf = (name: string): string => name.split('.')[0] ?? name;

export const isWrite = ({ procedure }: Operation): boolean =>
  definitionOf(procedure).type === 'mutation';

/** Whether the output is that of a write without `data`. */
export const isNothing = (output: z.ZodType): boolean => output instanceof z.ZodUndefined;
