import { writeSync } from 'node:fs';
import { pino } from 'pino';
import { codeOf } from './start-error.ts';

/** While more than this is waiting to be written, further lines are dropped. */
const MAX_BUFFER_BYTES = 16 * 1024 * 1024;

/** How long an exiting process waits for its last lines to be written. */
const LAST_LINES_MS = 1_000;

/** Buffered lines are written once they add up to this size. */
const BUFFER_BYTES = 8_192;
/** Buffered lines are written once the first of them is this old. */
const BUFFER_MS = 50;

/** Writes many lines to standard output at once: a system call for each would cost as much as a small query. */
export function bufferedOutput() {
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
  // SonicBoom ignores a flush during a write, so lines that were added during the write are flushed now.
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
 * Drops lines that cannot be written, for example because the terminal was closed or the disk is
 * full. SonicBoom would throw, and then repeat the last write forever, and the process could not exit.
 */
function ignoreWriteErrors(output: ReturnType<typeof pino.destination>): void {
  const flushSync = output.flushSync.bind(output);
  let hasFailed = false;
  /** The time (of `performance.now()`) after which the last lines are no longer retried. */
  let deadline = Number.POSITIVE_INFINITY;
  output.removeAllListeners('error');
  output.on('error', () => {
    hasFailed = true;
  });
  output.on('write', () => {
    hasFailed = false;
  });
  // Without a deadline, the process could not exit while a log collector hangs and its pipe is full.
  Object.assign(output, { retryEAGAIN: () => performance.now() < deadline });
  output.flushSync = () => {
    if (hasFailed || !isOpen(process.stdout.fd)) return;
    deadline = performance.now() + LAST_LINES_MS;
    try {
      flushSync();
    } catch {
      // The last lines are lost.
    }
  };
}

/** Whether a file accepts writes. A terminal that was closed does not. */
function isOpen(fd: number): boolean {
  try {
    writeSync(fd, '');
    return true;
  } catch (error) {
    return codeOf(error) === 'EAGAIN';
  }
}
