import { STATUSES, type Status } from '../../platform/errors.ts';
import { type ApiDocument, type ApiOperation, operationsIn } from './api-document.ts';
import { handlingSamples } from './failure-samples.ts';
import { code, fence, json } from './markdown.ts';

/** The advice to a caller about a failure. */
const REMEDIES: Record<Status, string> = {
  INVALID_ARGUMENT:
    'Change the request: `details.issues` lists every field that is wrong, with its path. HTTP 405, 413 and 415 say that the method, the size or the content type is wrong.',
  FAILED_PRECONDITION:
    'The input is valid, and the state of things does not allow the call. Change the setting or resource that the message names, then call again.',
  OUT_OF_RANGE:
    'The cursor lies before the events that are kept. Read the current state, and begin without a cursor.',
  UNAUTHENTICATED:
    'No operation fails with it: missing and wrong credentials are both `PERMISSION_DENIED`.',
  PERMISSION_DENIED:
    'Check the headers that the page of the operation names. `details.reason` tells ended tokens apart: `TOKEN_EXPIRED`, `TOKEN_REVOKED`, `TOKEN_INVALID`, `API_KEY_DISABLED`. A user without the needed role fails with it, too.',
  NOT_FOUND:
    'Check the path and the ids. What belongs to another key looks the same as what does not exist.',
  ALREADY_EXISTS: 'Use the operation that updates, or another id.',
  ABORTED: 'Call again: another change came in between.',
  RESOURCE_EXHAUSTED:
    'Wait for the seconds in `Retry-After`, then call again. `details.limit` or `details.quota` names the limit.',
  INTERNAL:
    'Report it with `details.requestId`, which leads to the cause in the log. Whether a write took effect is not known; with an `Idempotency-Key` it is safe to call again.',
  UNAVAILABLE: 'Call again after a moment, with growing pauses.',
  DEADLINE_EXCEEDED:
    'Call again. A write may have taken effect; with an `Idempotency-Key` it takes effect once.',
};

export const STATUS_NAMES = Object.keys(STATUSES) as Status[];

/** Writes the page of a status in Markdown. */
export function failurePage(status: Status, document: ApiDocument): string {
  const { http, trpc, webSocketClose, retryable } = STATUSES[status];
  const example = exampleOf(status, document);
  return [
    `# ${status}`,
    `HTTP ${http} · tRPC ${code(trpc)} · WebSocket close code ${webSocketClose}`,
    `${REMEDIES[status]} ${retryable ? 'The same call may succeed later.' : 'The same call fails again.'}`,
    ...(example ? [json(example)] : []),
    '## In a program',
    `The client repeats what may succeed later by itself. What remains is a ${code('CollaborationError')}.
Guide: [errors and retries](../errors.md).`,
    ...handlingSamples(status).map(({ language, source }) => fence(language, source)),
    '## Operations',
    operationList(status, document),
  ].join('\n\n');
}

function exampleOf(status: Status, { components }: ApiDocument): unknown {
  for (const { content } of Object.values(components.responses)) {
    const example = content['application/json']?.examples?.[status];
    if (example) return example.value;
  }
  return undefined;
}

function operationList(status: Status, document: ApiDocument): string {
  const all = operationsIn(document);
  const failing = all.filter((operation) => statusesOf(operation, document).has(status));
  if (failing.length === 0) return 'None.';
  if (failing.length === all.length) return 'All [operations](../operations.md).';
  const links = failing.map(
    ({ operationId, summary }) => `- [${operationId}](../operations/${operationId}.md): ${summary}`,
  );
  return links.join('\n');
}

function statusesOf({ responses }: ApiOperation, { components }: ApiDocument): Set<string> {
  const names = Object.values(responses).flatMap((response) => {
    if (!('$ref' in response)) return [];
    const { content } = components.responses[response.$ref.split('/').at(-1) ?? ''] ?? {};
    return Object.keys(content?.['application/json']?.examples ?? {});
  });
  return new Set(names);
}
