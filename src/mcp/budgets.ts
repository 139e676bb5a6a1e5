import type { AgentContext } from './agent-context.ts';

/** The budget for the calls of an agent for one user in a minute, over all processes. */
export const AGENT_CALLS = {
  points: 120,
  seconds: 60,
  keyPrefix: 'agent-calls',
  refusal: 'The budget of 120 calls a minute is used up.',
};

/** The budget for the writes of an agent for one user in an hour, over all processes. */
export const AGENT_WRITES = {
  points: 300,
  seconds: 3_600,
  keyPrefix: 'agent-writes',
  refusal: 'The budget of 300 writes an hour is used up. Reading still works.',
};

/** The key of both budgets. All tokens of an agent for the same user have the same key. */
export const budgetKey = ({
  tenantId,
  userId,
  agent,
}: Pick<AgentContext, 'tenantId' | 'userId' | 'agent'>): string =>
  JSON.stringify([tenantId, userId, agent.agentId]);
