import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { z } from 'zod';
import type { SubscriptionMeta } from '../operation-meta.ts';
import { definitionOf, proceduresOf } from '../trpc-internals.ts';
import { securityOf } from './components.ts';

/** A subscription as the document describes it. */
interface DescribedSubscription {
  summary: string;
  description: string;
  security: object[];
  input: object;
  item: object;
}

/**
 * Describes the subscriptions of a router by their dotted names, outside of the OpenAPI operations,
 * since they are called over tRPC, at `/trpc/<name>`, and answered as server-sent events.
 */
export function describeSubscriptions(router: AnyRouter): Record<string, DescribedSubscription> {
  return Object.fromEntries(
    proceduresOf(router)
      .filter(([, procedure]) => definitionOf(procedure).type === 'subscription')
      .map(([name, procedure]) => [name, describe(name, procedure)]),
  );
}

function describe(name: string, procedure: AnyProcedure): DescribedSubscription {
  const { inputs, ...definition } = definitionOf(procedure);
  const meta = definition.meta as SubscriptionMeta;
  const [input] = inputs;
  if (!input || inputs.length > 1) throw new Error(`${name} must have one input schema.`);
  return {
    summary: meta.summary,
    description: meta.description,
    security: securityOf(meta),
    input: jsonSchema(input, 'input'),
    item: jsonSchema(meta.item, 'output'),
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _same, ...described } = z.toJSONSchema(schema, { io });
  return described;
}
