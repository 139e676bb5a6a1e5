import type { AgentContext } from './agent-context.ts';

/** The calls of one agent for one user in a minute, over all processes. */
export const AGENT_CALLS = {
  points: 120,
  seconds: 60,
  keyPrefix: 'agent-calls',
  refusal: 'The budget of 120 calls a minute is used up.',
};

/** The writes of one agent for one user in an hour, over all processes. */
export const AGENT_WRITES = {
  points: 300,
  seconds: 3_600,
  keyPrefix: 'agent-writes',
  refusal: 'The budget of 300 writes an hour is used up. Reading still works.',
};

/** All tokens of an agent for one user share their budgets. */
export const budgetKey = ({
  tenantId,
  userId,
  agent,
}: Pick<AgentContext, 'tenantId' | 'userId' | 'agent'>): string =>
  JSON.stringify([tenantId, userId, agent.agentId]);
