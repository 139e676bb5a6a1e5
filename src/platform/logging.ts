import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { bufferedOutput } from './buffered-output.ts';
import { isObject, isPlainObject } from './json.ts';
import { mergeWarnings } from './merge-warnings.ts';
import { redactSecrets } from './redact-secrets.ts';
import { activeTraceId } from './tracing/tracing.ts';

export type { Logger };

/** Header and field names that hold credentials. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'token',
  'authToken',
  'apiKeySecret',
  'password',
  // `new URL` puts the text that it could not parse into this field.
  'input',
  'x-svc-auth-token',
  'x-svc-workspace-auth-token',
  'x-svc-admin-token',
  'x-velt-auth-token',
  'x-velt-workspace-auth-token',
]);

/**
 * Logs NDJSON to standard output, without blocking requests; buffered lines are written when the
 * process exits. Warnings that repeat are merged.
 *
 * @param processFacts facts about this process that are added to each line
 */
export function createLogger(
  level: string,
  destination: DestinationStream = bufferedOutput(),
  processFacts: object | null = null,
): Logger {
  const options = {
    level,
    base: processFacts,
    mixin: traceFacts,
    formatters: { log: maskSecrets },
    serializers: { err: describeError },
    hooks: { logMethod: mergeWarnings() },
  };
  return pino(options, destination);
}

function traceFacts(): object {
  const trace = activeTraceId();
  return trace === undefined ? {} : { trace };
}

/** Writes all lines that were logged so far, so that other output can follow them. */
export const flushLog = (log: Logger): Promise<void> =>
  new Promise((resolve) => log.flush(() => resolve()));

/**
 * Masks credentials in the fields of a log line, and in the fields of objects directly in them.
 * pino's own `redact` does the same, but takes longer than all other work for a line.
 */
function maskSecrets(facts: Record<string, unknown>): Record<string, unknown> {
  const masked = maskFields(facts);
  for (const field in masked) {
    const value = masked[field];
    // Errors, dates and the like serialize themselves.
    if (isObject(value) && isPlainObject(value)) masked[field] = maskFields(value);
  }
  return masked;
}

function maskFields(fields: object): Record<string, unknown> {
  const masked: Record<string, unknown> = { ...fields };
  for (const field in masked) {
    if (SECRET_FIELDS.has(field)) masked[field] = '[secret]';
  }
  return masked;
}

/** Describes a thrown value, which need not be an Error. */
function describeError(error: unknown): unknown {
  if (typeof error === 'string') return redactSecrets(error);
  if (typeof error !== 'object' || error === null) return error;
  return withoutSecrets(error instanceof Error ? stdSerializers.err(error) : error);
}

/**
 * Drops nested objects from an error, masks its secret fields, and redacts its texts. Errors of libraries may
 * contain commands with passwords, requests with headers, and texts that failed to parse.
 */
function withoutSecrets(error: object): Record<string, unknown> {
  const facts: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(maskFields(error))) {
    if (typeof value === 'string') facts[field] = redactSecrets(value);
    else if (field === 'aggregateErrors' && Array.isArray(value)) {
      facts[field] = value.map(describeError);
    } else if (typeof value !== 'object' || value === null) facts[field] = value;
  }
  return facts;
}
