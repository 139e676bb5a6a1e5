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

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '');
