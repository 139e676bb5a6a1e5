import type { KeyContext } from '../api/context.ts';
import type { AgentIdentity } from '../api/fields.ts';
import { AppError } from '../platform/errors.ts';

/** The context of a call by an agent, which acts for one user. */
export interface AgentContext extends KeyContext {
  userId: string;
  agent: AgentIdentity;
}

/** The credentials of an agent's request. */
export interface AgentCaller extends Pick<AgentContext, 'tenantId' | 'userId' | 'agent'> {
  token: string;
  /** When the token expires, in Unix seconds. */
  expiresAt: number;
}

/**
 * Returns the user and the agent for whom a token was made.
 *
 * @throws PERMISSION_DENIED for an API key, and for a token that was made for no agent
 */
export function requireAgent(caller: Pick<KeyContext, 'tenantId' | 'userId' | 'agent'>) {
  const { tenantId, userId, agent } = caller;
  if (userId === undefined) throw apiKeyRefused();
  if (agent === undefined) {
    throw new AppError(
      'PERMISSION_DENIED',
      'This user token was made for no agent: pass `agent` to auth.generateToken, so that others see who acted.',
    );
  }
  return { tenantId, userId, agent };
}

export const apiKeyRefused = (): AppError =>
  new AppError(
    'PERMISSION_DENIED',
    'An agent acts for one user and never as an API key: send "authorization: Bearer <user token>", with a token that auth.generateToken made for this agent.',
  );
