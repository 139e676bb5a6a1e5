import type { Pool, PoolClient } from 'pg';

/** Sees every statement that runs on a pool, Prisma's included. */
export function watchStatements(pool: Pool, onStatement: (text: string) => void): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]) => {
      onStatement(textOf(args[0]));
      return query(...args);
    };
    client.query = watched as PoolClient['query'];
  });
}

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '');
