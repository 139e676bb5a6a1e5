import type { Pool, PoolClient, QueryResult } from 'pg';

type Answered = (error: Error | undefined, result: QueryResult | undefined) => void;

/** Calls back for every statement on a pool, including Prisma's, with its result. */
export function watchStatements(
  pool: Pool,
  onStatement: (text: string) => void,
  onResult: (text: string, result: QueryResult) => void = () => undefined,
): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]) => {
      const text = textOf(args[0]);
      onStatement(text);
      const answered = args.at(-1);
      if (typeof answered === 'function') {
        const pass: Answered = (error, result) => {
          if (result) onResult(text, result);
          answered(error, result);
        };
        return query(...args.slice(0, -1), pass);
      }
      const result = query(...args);
      if (result instanceof Promise) {
        result.then((rows: QueryResult) => onResult(text, rows)).catch(() => undefined);
      }
      return result;
    };
    client.query = watched as PoolClient['query'];
  });
}

/** The statements that were sent to the database together, and so were waited for once. */
export type RoundTrip = string[];

/** Statements of background work, and lookups of credentials, which are cached. */
const BESIDE = /(background|credentials) \*\//;

/**
 * Calls back for each time that a connection of a pool is written to after an answer, with the
 * statements that are sent until the next answer arrives. Background work and lookups of credentials are
 * left out.
 */
export function watchRoundTrips(pool: Pool, onRoundTrip: (sent: RoundTrip) => void): void {
  pool.on('connect', (client) => watchClient(client, onRoundTrip));
}

function watchClient(client: PoolClient, onRoundTrip: (sent: RoundTrip) => void): void {
  let sent: RoundTrip | undefined;
  /** The round trips of the transaction that is open, until it is known whose they are. */
  const own: RoundTrip[] = [];
  let isOpen = false;
  client.connection.stream.on('data', () => {
    sent = undefined;
    if (isOpen) return;
    const isBeside = own.flat().some((text) => BESIDE.test(text));
    for (const roundTrip of own.splice(0)) if (!isBeside) onRoundTrip(roundTrip);
  });
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const watched = (...args: unknown[]) => {
    const text = textOf(args[0]);
    if (text === 'BEGIN') isOpen = true;
    if (text === 'COMMIT' || text === 'ROLLBACK') isOpen = false;
    if (!sent) {
      sent = [];
      own.push(sent);
    }
    sent.push(text);
    return query(...args);
  };
  client.query = watched as PoolClient['query'];
}

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '');
