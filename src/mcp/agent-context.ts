import type { KeyContext } from '../api/context.ts';
import type { AgentIdentity } from '../api/fields.ts';
import { AppError } from '../platform/errors.ts';

/** A call of an agent, which acts for one user. */
export interface AgentContext extends KeyContext {
  userId: string;
  agent: AgentIdentity;
}

/** The credentials of a request of an agent. */
export interface AgentCaller extends Pick<AgentContext, 'tenantId' | 'userId' | 'agent'> {
  token: string;
  /** The end of the token, in Unix seconds. */
  expiresAt: number;
}

/**
 * Returns the user and the agent of a token.
 *
 * @throws PERMISSION_DENIED for an API key, and for a token that was made for no agent
 */
export function requireAgent(caller: Pick<KeyContext, 'tenantId' | 'userId' | 'agent'>) {
  const { tenantId, userId, agent } = caller;
  if (userId === undefined) throw apiKeyRefused();
  if (agent === undefined) {
    throw new AppError(
      'PERMISSION_DENIED',
      'This user token was made for no agent: give `agent` to auth.generateToken, so that others see who acted.',
    );
  }
  return { tenantId, userId, agent };
}

export const apiKeyRefused = (): AppError =>
  new AppError(
    'PERMISSION_DENIED',
    'An agent acts for one user and never as an API key: send "authorization: Bearer <user token>", with a token that auth.generateToken made for this agent.',
  );
