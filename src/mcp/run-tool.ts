import type { CallToolResult } from '@modelcontextprotocol/server';
import { toAppError } from '../api/responses/failures.ts';
import type { DocumentRef } from '../features/access/places.ts';
import { type AppError, STATUSES } from '../platform/errors.ts';
import { budgetKey } from './budgets.ts';
import { truncate } from './present-thread.ts';
import type { AgentCall, AnyTool } from './tool.ts';

/** Runs a tool. A failure is returned as a result, too, and says what the agent can do next. */
export async function runTool(
  tool: AnyTool,
  call: AgentCall,
  uncheckedInput: unknown,
): Promise<CallToolResult> {
  try {
    tool.spelling.check(uncheckedInput);
    const input = tool.input.parse(uncheckedInput);
    if (tool.writes) await call.ctx.agentLimits.writes.consume(budgetKey(call));
    const output = outputOf(tool, await tool.run(call, input));
    if (tool.presence) await showPresence(call, input, tool.presence);
    return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
  } catch (error) {
    return failureOf(toAppError(error), call);
  }
}

/** Removes fields that the output schema does not have: clients would refuse them. */
function outputOf({ name, output }: AnyTool, result: Record<string, unknown>) {
  const { data, error } = output.safeParse(result);
  if (error) throw new Error(`The output of ${name} does not match its schema.`, { cause: error });
  return data;
}

function failureOf(failure: AppError, { ctx }: AgentCall): CallToolResult {
  const { status, message, retryAfterSeconds } = failure;
  const explained =
    status === 'INTERNAL' ? `${message} Give the operator this id: ${ctx.requestId}.` : message;
  const text = [`${status}: ${explained}`, detailsOf(failure), nextStep(failure)]
    .filter((part) => part !== '')
    .join(' ');
  const _meta = retryAfterSeconds === undefined ? { status } : { status, retryAfterSeconds };
  return { isError: true, content: [{ type: 'text', text }], _meta };
}

/** Returns the details as JSON, such as the present text if a quote no longer matches. */
const detailsOf = ({ details, credentialsReason }: AppError): string =>
  details === undefined || credentialsReason ? '' : truncate(JSON.stringify(details));

function nextStep({ status, details, retryAfterSeconds, credentialsReason }: AppError): string {
  if (credentialsReason) return 'Ask the person for a new token.';
  if (retryAfterSeconds !== undefined) return `Wait ${retryAfterSeconds} seconds.`;
  if (status === 'PERMISSION_DENIED')
    return 'Do not try again; explain_access says why access is missing.';
  if (details && 'present' in details) return 'Quote the current text.';
  if (status === 'NOT_FOUND') return 'find_documents and list_threads return the existing ids.';
  if (status === 'INVALID_ARGUMENT') return 'Correct the input and call again.';
  return STATUSES[status].retryable ? 'Call again in a moment.' : '';
}

/** The beginning of an agent's status, which others see next to the name of the person. */
const AGENT_STATUS = 'agent is ';

/**
 * Shows others in the document that a person's agent is there. If the person is also present, the
 * person's own status stays. A failure is only logged, since the tool has already done its work.
 */
async function showPresence(
  { operations, userId, ctx }: AgentCall,
  { organizationId = '', documentId = '' }: Partial<DocumentRef>,
  activity: 'reading' | 'writing',
): Promise<void> {
  const document = { organizationId, documentId };
  try {
    const [presence] = await operations.presence.get({ ...document, userIds: [userId] });
    const isPersonPresent =
      presence && presence.status !== 'offline' && !presence.status.startsWith(AGENT_STATUS);
    if (isPersonPresent) return;
    const status = AGENT_STATUS + activity;
    await operations.presence.update({ ...document, users: [{ userId, status }] });
  } catch (error) {
    ctx.log.warn({ err: toAppError(error) }, "An agent's presence could not be shown.");
  }
}
