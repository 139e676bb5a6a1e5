import { writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { mergeWarnings } from './merge-warnings.ts';
import { redactSecrets } from './redact-secrets.ts';
import { codeOf } from './start-error.ts';
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

/** While more than this waits for standard output, further lines are dropped. */
const MAX_BUFFER_BYTES = 16 * 1024 * 1024;

/** How long the end of a process waits until standard output takes its last lines. */
const LAST_LINES_MS = 1_000;

/** The size and the age at which buffered lines are written. */
const BUFFER_BYTES = 8_192;
const BUFFER_MS = 50;

/**
 * Logs NDJSON to standard output, without blocking requests; buffered lines are written when the
 * process exits. Warnings that repeat are merged.
 *
 * @param processFacts facts about this process, which each line has
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

/**
 * Lets a closed terminal or a full disk end the logging, and not the process. SonicBoom would
 * throw, and then repeat the last write for ever, so that the process could not exit.
 */
function ignoreWriteErrors(output: ReturnType<typeof pino.destination>): void {
  const flushSync = output.flushSync.bind(output);
  let isRefused = false;
  let endsAt = Number.POSITIVE_INFINITY;
  output.removeAllListeners('error');
  output.on('error', () => {
    isRefused = true;
  });
  output.on('write', () => {
    isRefused = false;
  });
  // A pipe stays full where a collector of logs hangs.
  Object.assign(output, { retryEAGAIN: () => performance.now() < endsAt });
  output.flushSync = () => {
    if (isRefused || !isOpen(process.stdout.fd)) return;
    endsAt = performance.now() + LAST_LINES_MS;
    try {
      flushSync();
    } catch {
      // The last lines are lost.
    }
  };
}

/** Whether a file takes writes, unlike a terminal that was closed. */
function isOpen(fd: number): boolean {
  try {
    writeSync(fd, '');
    return true;
  } catch (error) {
    return codeOf(error) === 'EAGAIN';
  }
}

/** Resolves when all lines so far are written, so that a text for people can follow them. */
export const flushed = (log: Logger): Promise<void> =>
  new Promise((resolve) => log.flush(() => resolve()));

/** Writes lines together, since a system call for each would cost as much as a small query. */
function bufferedOutput() {
  const output = pino.destination({
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: MAX_BUFFER_BYTES,
  });
  ignoreWriteErrors(output);
  let isScheduled = false;
  let unwrittenBytes = 0;
  const flush = () => {
    isScheduled = false;
    output.flush();
  };
  output.on('drop', (line: string) => {
    unwrittenBytes -= Buffer.byteLength(line);
  });
  output.on('write', (bytes: number) => {
    unwrittenBytes -= bytes;
  });
  // SonicBoom ignores a flush during a write, so the lines that came meanwhile are flushed after it.
  output.on('drain', () => {
    if (unwrittenBytes > 0 && !isScheduled) flush();
  });
  return {
    write(line: string) {
      unwrittenBytes += Buffer.byteLength(line);
      output.write(line);
      if (isScheduled) return;
      isScheduled = true;
      setTimeout(flush, BUFFER_MS).unref();
    },
    flush: (whenWritten: () => void) => output.flush(whenWritten),
  };
}

/**
 * Masks credentials in the facts of a line, and in the objects directly in them. pino's own
 * `redact` does the same, but takes longer than everything else about a line.
 */
function maskSecrets(facts: Record<string, unknown>): Record<string, unknown> {
  const masked = maskFields(facts);
  for (const field in masked) {
    const value = masked[field];
    if (isPlain(value)) masked[field] = maskFields(value);
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

/** Thrown values need not be Errors. */
function describeError(error: unknown): unknown {
  if (typeof error === 'string') return redactSecrets(error);
  if (typeof error !== 'object' || error === null) return error;
  return withoutSecrets(error instanceof Error ? stdSerializers.err(error) : error);
}

/**
 * Drops objects from an error, masks its secret fields, and redacts its texts. Libraries attach commands with
 * passwords, requests with headers, and texts that are no URLs to their errors.
 */
function withoutSecrets(error: object): Record<string, unknown> {
  const facts: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(maskFields(error))) {
    if (typeof value === 'string') facts[field] = redactSecrets(value);
    else if (field === 'aggregateErrors' && Array.isArray(value)) {
      facts[field] = value.map(withoutSecrets);
    } else if (typeof value !== 'object' || value === null) facts[field] = value;
  }
  return facts;
}

/** Whether a value is a plain object; errors, dates and the like serialize themselves. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
