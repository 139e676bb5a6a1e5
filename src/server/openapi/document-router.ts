import { initTRPC } from '@trpc/server';
import type { OpenApiMeta } from 'trpc-to-openapi';
import { z } from 'zod';
import type { DescribedOperation } from '../contract/describe-contract.ts';

const openapi = initTRPC.meta<OpenApiMeta>().create();

/**
 * Builds a router that only the document generator reads. Its bodies are empty: the document takes
 * their schemas from the contract, where they have names.
 */
export function documentRouter(operations: DescribedOperation[]) {
  return openapi.router(
    Object.fromEntries(operations.map((operation) => [operation.name, documented(operation)])),
  );
}

function documented({ name, isWrite, meta }: DescribedOperation) {
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
    .input(z.object({ data: z.unknown() }))
    .output(z.unknown());
  return isWrite ? procedure.mutation(neverCalled) : procedure.query(neverCalled);
}

function neverCalled(): never {
  throw new Error('This router is for the document only.');
}

/** Returns the first part of an operation's dotted name. */
export const featureOf = (name: string): string => name.split('.')[0] ?? name;
