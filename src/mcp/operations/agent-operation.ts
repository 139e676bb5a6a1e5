import { userTokenOperation } from '../../api/procedures.ts';
import { requireAgent } from '../agent-context.ts';

/** The base of operations that only agents' tools call. These have no path, and are not in the contract. */
export const agentOperation = userTokenOperation.use(({ ctx, next }) =>
  next({ ctx: requireAgent(ctx) }),
);
