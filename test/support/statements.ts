import type { Pool, PoolClient, QueryResult } from 'pg';

type Answered = (error: Error | undefined, result: QueryResult | undefined) => void;
type Query = (...args: unknown[]) => unknown;

/**
 * Puts `around` between the connections of a pool and all that sends statements over them: streams
 * too, and the pool itself, which passes a callback as the last argument.
 */
export function aroundStatements(
  pool: Pool,
  make: (client: PoolClient) => (text: string, query: Query, args: unknown[]) => unknown,
): void {
  pool.on('connect', (client) => {
    const around = make(client);
    const query = client.query.bind(client) as Query;
    const wrapped: Query = (...args) => around(textOf(args[0]), query, args);
    client.query = wrapped as PoolClient['query'];
  });
}

/** Fails statements as a database does that is away. */
export const refuseStatements = (pool: Pool, isRefused: (text: string) => boolean): void =>
  aroundStatements(pool, () => (text, query, args) => {
    if (!isRefused(text)) return query(...args);
    const error = Object.assign(new Error('The database is away.'), { code: 'ECONNREFUSED' });
    const answered = args.at(-1);
    return typeof answered === 'function' ? answered(error) : Promise.reject(error);
  });

/** Calls back for every statement on a pool, with its result. */
export function watchStatements(
  pool: Pool,
  onStatement: (text: string) => void,
  onResult: (text: string, result: QueryResult) => void = () => undefined,
): void {
  aroundStatements(pool, () => (text, query, args) => {
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
  aroundStatements(pool, (client) => {
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
    return (text, query, args) => {
      if (text === 'BEGIN') isOpen = true;
      if (text === 'COMMIT' || text === 'ROLLBACK') isOpen = false;
      if (!sent) {
        sent = [];
        own.push(sent);
      }
      sent.push(text);
      return query(...args);
    };
  });
}

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '');
