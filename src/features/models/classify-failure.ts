import { ZodError } from 'zod';
import { ForbiddenAddressError } from '../../platform/outbound/agent.ts';
import { ModelProblem, type Problem } from './problems.ts';

/** The fields that the errors of the OpenAI and Anthropic libraries share. Connection errors extend `APIError`. */
interface ApiError extends Error {
  status: number | undefined;
  error: unknown;
}

type ErrorName = 'APIError' | 'APIConnectionError' | 'APIConnectionTimeoutError';

/**
 * Whether the class of an error, or a class that it extends, has this name. Both libraries use these
 * names. Their classes are not imported, because a library is loaded only once a model is called.
 */
function isOfClass(error: unknown, name: ErrorName): error is ApiError {
  if (!(error instanceof Error)) return false;
  for (let type = error.constructor; type.name; type = Object.getPrototypeOf(type)) {
    if (type.name === name) return true;
  }
  return false;
}

/** Classifies an error that a provider's library threw. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ModelProblem) return error.problem;
  if (causesOf(error).some((cause) => cause instanceof ForbiddenAddressError)) {
    return 'forbidden_address';
  }
  if (isOfClass(error, 'APIConnectionTimeoutError')) return 'timeout';
  if (isOfClass(error, 'APIConnectionError')) return 'unreachable';
  if (isOfClass(error, 'APIError')) {
    return problemOfResponse(error.status, JSON.stringify(error.error ?? ''));
  }
  const isUnreadable = error instanceof SyntaxError || error instanceof ZodError;
  return isUnreadable ? 'unreadable' : 'broken_off';
}

/**
 * Returns what may be logged about a failure: error classes, HTTP statuses and system error codes. Texts from
 * a provider are left out, since they may contain the key.
 */
export const loggableNamesOf = (error: unknown): string[] =>
  causesOf(error).map((cause) => {
    const { status, code } = cause as { status?: unknown; code?: unknown };
    const detail = isOfClass(cause, 'APIError') ? status : code;
    const { name } = cause.constructor;
    return detail !== undefined && /^[A-Z0-9_]{1,40}$/.test(String(detail))
      ? `${name} ${detail}`
      : name;
  });

/**
 * Classifies an error response by its HTTP status and message; the first match counts. An error within a
 * stream has no status.
 */
function problemOfResponse(status: number | undefined, message: string): Problem {
  const matches = (statuses: number[], words?: RegExp) =>
    (status !== undefined && statuses.includes(status)) || words?.test(message);
  if (matches([], /insufficient_quota|billing|credit balance/i) || status === 402) return 'quota';
  if (matches([429], /rate_limit|RESOURCE_EXHAUSTED/)) return 'rate_limited';
  if (matches([404], /model_not_found/)) return 'unknown_model';
  // Gemini responds to a wrong key with 400.
  if (matches([401, 403], /authentication_error|API_KEY_INVALID|API key not valid/i)) {
    return 'key_refused';
  }
  if (matches([], /content_filter|content_policy/)) return 'refused';
  if (matches([413], /context_length|string_above_max|too (?:long|large)|token count/i)) {
    return 'too_long';
  }
  if (status === undefined || status >= 500 || status === 408) return 'failing';
  return status >= 400 ? 'rejected' : 'unreadable';
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 10; cause = cause.cause) {
    causes.push(cause);
  }
  return causes;
}
