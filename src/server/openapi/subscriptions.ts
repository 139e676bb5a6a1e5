import type { AnyRouter } from '@trpc/server';
import type { SubscriptionMeta } from '../../api/operation-meta.ts';
import { definitionOf, proceduresOf } from '../../api/trpc-internals.ts';
import type { Contract } from '../contract/describe-contract.ts';
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
export function describeSubscriptions(
  router: AnyRouter,
  { subscriptions }: Contract,
): Record<string, DescribedSubscription> {
  const procedures = Object.fromEntries(proceduresOf(router));
  return Object.fromEntries(
    Object.entries(subscriptions).map(([name, { input, item }]) => {
      const procedure = procedures[name];
      if (!procedure) throw new Error(`The router has no ${name}.`);
      const meta = definitionOf(procedure).meta as SubscriptionMeta;
      const { summary, description } = meta;
      const security = securityOf(meta);
      return [name, { summary, description, security, input: input.schema, item: item.schema }];
    }),
  );
}
