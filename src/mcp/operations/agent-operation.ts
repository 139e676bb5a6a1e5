import { userTokenOperation } from '../../api/procedures.ts';
import { requireAgent } from '../agent-context.ts';

/** Operations that only tools of agents call. They have no path, and are in no contract. */
export const agentOperation = userTokenOperation.use(({ ctx, next }) =>
  next({ ctx: requireAgent(ctx) }),
);
