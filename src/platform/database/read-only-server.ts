import type { Pool, PoolClient } from 'pg';

/** SQLSTATE: the server accepts no writes, at least on this connection. */
export const READ_ONLY = '25006';
/** The least time between two replacements of all connections. */
const MIN_INTERVAL_MS = 1_000;

/** Calls the listener with the SQLSTATE of each failure that the server reports on a connection. */
export function onServerError(client: PoolClient, listener: (code: string | undefined) => void) {
  client.connection.on('errorMessage', ({ code }: { code?: string }) => listener(code));
}

/**
 * Replaces the pool's connections when the server no longer accepts writes. After a failover, the
 * address may lead to another server, which only new connections reach. And if the server was
 * read-only for a while, its open connections stay read-only.
 *
 * @returns a function that replaces them at once, for callers that notice such a server in another way
 */
export function reconnectWhenReadOnly(pool: Pool): () => void {
  const open = new Set<PoolClient>();
  const stale = new WeakSet<PoolClient>();
  let replacedAt = Number.NEGATIVE_INFINITY;
  const replaceConnections = () => {
    if (pool.ending || performance.now() - replacedAt < MIN_INTERVAL_MS) return;
    replacedAt = performance.now();
    for (const client of open) stale.add(client);
    for (let idle = pool.idleCount; idle > 0; idle--) void closeIfStale(pool, stale);
  };
  pool.on('connect', (client) => {
    open.add(client);
    onServerError(client, (code) => {
      if (code !== READ_ONLY) return;
      stale.add(client);
      replaceConnections();
    });
  });
  pool.on('remove', (client) => open.delete(client));
  // The pool removes a connection that is being closed.
  pool.on('release', (error, client) => {
    if (!error && stale.has(client)) void client.end();
  });
  return replaceConnections;
}

/** Closes an idle connection of the pool if it is stale. */
async function closeIfStale(pool: Pool, stale: WeakSet<PoolClient>): Promise<void> {
  try {
    const client = await pool.connect();
    client.release(stale.has(client));
  } catch {
    // No connection was idle, and no new one could be opened.
  }
}
