import { failureEnvelope } from '../../api/responses/envelope.ts';
import { AppError, STATUSES, type Status } from '../../platform/errors.ts';
import { type DescribedOperation, pascalCase } from '../contract/describe-contract.ts';

const MEANINGS: Record<Status, string> = {
  INVALID_ARGUMENT: 'A parameter is missing or not valid.',
  FAILED_PRECONDITION: 'The current state does not allow this call.',
  OUT_OF_RANGE: 'A value is outside the existing range.',
  UNAUTHENTICATED: 'The caller is not signed in.',
  PERMISSION_DENIED: 'The credentials are missing or wrong, or do not allow this.',
  NOT_FOUND: 'A resource that the call names does not exist.',
  ALREADY_EXISTS: 'The resource already exists.',
  ABORTED: 'Another change was made at the same time. The same call may be sent again.',
  RESOURCE_EXHAUSTED: 'Too many requests, or a quota is used up.',
  INTERNAL: 'Something went wrong on our side.',
  UNAVAILABLE: 'The service cannot be reached at the moment. The same call may be sent again.',
  DEADLINE_EXCEEDED: 'The call took too long. The same call may be sent again.',
};

/** The failures with one HTTP code, as a named response that operations refer to. */
interface FailureResponse {
  name: string;
  http: number;
  failures: AppError[];
}

/** Returns the possible failures of an operation, grouped by HTTP code. */
export function failuresOf(operation: DescribedOperation): FailureResponse[] {
  const byCode = Map.groupBy(statusesOf(operation), (status) => STATUSES[status].http);
  const responses = [...byCode].map(([http, sameCode]) => {
    const failures = sameCode.map(
      (status) => new AppError(status, MEANINGS[status], exampleOf(status)),
    );
    return {
      name: sameCode.map((status) => pascalCase(status.toLowerCase())).join('Or'),
      http,
      failures,
    };
  });
  return [...responses, ...REFUSALS].sort((a, b) => a.http - b.http);
}

/** Returns the possible statuses in the order of their table, which keeps the document deterministic. */
function statusesOf({ meta, isWrite }: DescribedOperation): Status[] {
  const possible = new Set<Status>([
    'INVALID_ARGUMENT',
    'PERMISSION_DENIED',
    'INTERNAL',
    'UNAVAILABLE',
    'DEADLINE_EXCEEDED',
    ...(meta.level === 'apiKey' ? (['RESOURCE_EXHAUSTED'] as const) : []),
    ...(isWrite ? (['ABORTED'] as const) : []),
    ...meta.errors,
  ]);
  return (Object.keys(STATUSES) as Status[]).filter((status) => possible.has(status));
}

const refusal = (http: number, name: string, message: string): FailureResponse => ({
  name,
  http,
  failures: [new AppError('INVALID_ARGUMENT', message, { http })],
});

/** The failures that occur before the operation is called. */
const REFUSALS = [
  refusal(405, 'MethodNotAllowed', 'This path takes POST only.'),
  refusal(413, 'BodyTooLarge', 'The body is too large.'),
  refusal(415, 'NotJson', 'The content type must be application/json.'),
];

function exampleOf(status: Status) {
  if (status !== 'INVALID_ARGUMENT') return {};
  return {
    details: { issues: [{ path: 'organizationId', message: 'is missing, and must be a string' }] },
  };
}

const EXAMPLE_REQUEST_ID = '4fTq8bV1nXcL0sKzR7Wd';

/** Returns the failure `responses` of an operation. */
export const failureResponses = (operation: DescribedOperation): Record<string, object> =>
  Object.fromEntries(
    failuresOf(operation).map(({ http, name }) => [
      http,
      { $ref: `#/components/responses/${name}` },
    ]),
  );

/** Returns the `components.responses` of the document, each of them once. */
export function failureComponents(all: FailureResponse[]): Record<string, object> {
  const byName = new Map(all.map((response) => [response.name, response]));
  const inOrder = [...byName.values()].sort(
    (a, b) => a.http - b.http || (a.name < b.name ? -1 : 1),
  );
  return Object.fromEntries(
    inOrder.map((response) => [response.name, responseComponent(response)]),
  );
}

function responseComponent({ http, failures }: FailureResponse): object {
  return {
    description: failures.map(({ status, message }) => `${status}: ${message}`).join(' '),
    headers: {
      'x-request-id': { $ref: '#/components/headers/RequestId' },
      ...(http === 429 && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Failure' },
        examples: Object.fromEntries(
          failures.map((failure) => [
            failure.status,
            { value: failureEnvelope(failure, EXAMPLE_REQUEST_ID) },
          ]),
        ),
      },
    },
  };
}
