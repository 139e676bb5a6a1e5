import type { LogFn, Logger } from 'pino';

const WARN = 40;
const INTERVAL_MS = 10_000;
/** If there are more different warnings, they are distinguished by their message alone. */
const MAX_DISTINCT = 1_000;

type Facts = Record<string, unknown>;
type LogMethod = (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void;

/** The repeated warnings since the last line about them. */
interface Repeats {
  count: number;
  write: (repeated: number) => void;
}

/**
 * Returns a `logMethod` hook for pino that merges repeated warnings: while the database is
 * unavailable, everything that needs it warns many times a second. The first warning is written at
 * once. Later ones become one line every ten seconds, with the facts of the newest warning, and
 * the number of warnings as `repeated`.
 *
 * Warnings are merged when their message and all facts that are texts are equal, so warnings about
 * different endpoints or keys stay apart. Errors, numbers and bindings of child loggers are ignored.
 */
export function mergeWarnings(): LogMethod {
  const repeatsByKey = new Map<string, Repeats>();
  const flush = (key: string, repeats: Repeats) => {
    if (repeats.count === 0) {
      repeatsByKey.delete(key);
      return;
    }
    repeats.write(repeats.count);
    repeats.count = 0;
    flushLater(key, repeats);
  };
  const flushLater = (key: string, repeats: Repeats) =>
    setTimeout(() => flush(key, repeats), INTERVAL_MS).unref();
  return function (args, method, level) {
    const [facts, message] = args as unknown[];
    if (level !== WARN || args.length !== 2 || !isFacts(facts)) return method.apply(this, args);
    const key = repeatsByKey.size < MAX_DISTINCT ? keyOf(facts, message) : String(message);
    const write = (repeated: number) => method.call(this, { ...facts, repeated }, String(message));
    const repeats = repeatsByKey.get(key);
    if (repeats) {
      repeats.count++;
      repeats.write = write;
      return;
    }
    const first = { count: 0, write };
    repeatsByKey.set(key, first);
    flushLater(key, first);
    method.apply(this, args);
  };
}

const keyOf = (facts: Facts, message: unknown): string =>
  JSON.stringify([message, ...Object.values(facts).filter((fact) => typeof fact === 'string')]);

const isFacts = (value: unknown): value is Facts => typeof value === 'object' && value !== null;
