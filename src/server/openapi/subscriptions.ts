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
 * Describes the subscriptions by their dotted names, outside of the OpenAPI operations, since they are
 * called over tRPC, at `/trpc/<name>`, and answered as server-sent events.
 */
export function describeSubscriptions({
  subscriptions,
}: Contract): Record<string, DescribedSubscription> {
  return Object.fromEntries(
    Object.entries(subscriptions).map(([name, { meta, input, item }]) => {
      const { summary, description } = meta;
      const security = securityOf(meta);
      return [name, { summary, description, security, input: input.schema, item: item.schema }];
    }),
  );
}
