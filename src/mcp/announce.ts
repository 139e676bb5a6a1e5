import { toAppError } from '../api/responses/failures.ts';
import { type AgentCall, documentIn } from './tool.ts';

/** The start of what others see of an agent, beside the name of the person. */
const AGENT = 'agent is ';

/**
 * Shows others in the document that the agent of a person is there. What the person shows, when
 * present as well, is left alone. The tool has done its work already, so a failure is only logged.
 */
export async function announce(
  { operations, userId, ctx }: AgentCall,
  input: object,
  doing: 'reading' | 'writing',
): Promise<void> {
  const document = documentIn(input);
  if (!document) return;
  try {
    const [own] = await operations.presence.get({ ...document, userIds: [userId] });
    const isOther = own && own.status !== 'offline' && !own.status.startsWith(AGENT);
    if (isOther) return;
    await operations.presence.update({ ...document, users: [{ userId, status: AGENT + doing }] });
  } catch (error) {
    ctx.log.warn({ err: toAppError(error) }, 'The presence of an agent could not be shown.');
  }
}
