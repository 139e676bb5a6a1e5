import { Client, DatabaseError, type Pool, type PoolClient } from 'pg';
import type { Logger } from '../logging.ts';

/** After so long without a byte, a connection in use is looked for on the server. */
const SILENT_MS = 2_500;
const LOOK_INTERVAL_MS = 1_000;
/** Together with the two above, less than ten seconds. */
const ANSWER_MS = 4_000;

interface Parts {
  pool: Pool;
  url: string;
  log: Logger;
}

/** A connection in use: what went over it so far, and since when that is so. */
interface Seen {
  bytes: number;
  since: number;
}

/**
 * Breaks connections that are dead although nothing says so, as when a network swallows packets or
 * a server went with its machine: statements on them fail at once then, and not after half a minute.
 * A statement that merely takes long is busy on the server, which a fresh connection can ask.
 */
export function breakDeadConnections(parts: Parts): void {
  const { pool } = parts;
  const open = new Set<PoolClient>();
  const used = new Map<PoolClient, Seen>();
  let looking = false;
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  pool.on('acquire', (client) =>
    used.set(client, { bytes: bytesOf(client), since: performance.now() }),
  );
  pool.on('release', (_error, client) => used.delete(client));
  const isSilent = (client: PoolClient, seen: Seen) => {
    const bytes = bytesOf(client);
    if (bytes !== seen.bytes) Object.assign(seen, { bytes, since: performance.now() });
    return performance.now() - seen.since >= SILENT_MS;
  };
  const look = async () => {
    const silent = [...used].filter(([client, seen]) => isSilent(client, seen));
    if (silent.length === 0) return;
    const alive = await pidsAtWork(parts, [...open].map(pidOf));
    const dead = silent.filter(
      ([client, seen]) =>
        used.get(client) === seen && isSilent(client, seen) && !alive(pidOf(client)),
    );
    for (const [, seen] of silent) seen.since = performance.now();
    if (dead.length === 0) return;
    parts.log.warn({ connections: dead.length }, 'Connections to the database were dead.');
    // What lies idle has most likely gone the same way.
    for (const client of open) {
      if (!used.has(client) || dead.some(([one]) => one === client)) breakOff(client);
    }
  };
  const timer = setInterval(async () => {
    if (pool.ended) return clearInterval(timer);
    if (looking || used.size === 0) return;
    looking = true;
    await look();
    looking = false;
  }, LOOK_INTERVAL_MS).unref();
}

/** Says of the server's processes which work for us; nobody does on a server that is silent too. */
async function pidsAtWork({ url }: Parts, pids: number[]): Promise<(pid: number) => boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS });
  client.on('error', () => undefined);
  const deadline = setTimeout(() => breakOff(client), ANSWER_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ own: number; busy: number[] }>(
      `SELECT pg_backend_pid() AS own,
         ARRAY(SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state <> 'idle') AS busy`,
      [pids],
    );
    const { own, busy } = rows[0] ?? { own: 0, busy: [] };
    // A pooler in between has numbers of its own, of which the server knows nothing.
    if (own !== pidOf(client)) return () => true;
    return (pid) => busy.includes(pid);
  } catch (error) {
    // Who refuses is there, and has closed what it is to close.
    const isThere =
      error instanceof DatabaseError || (error as { code?: unknown }).code === 'ECONNREFUSED';
    return () => isThere;
  } finally {
    clearTimeout(deadline);
    breakOff(client);
  }
}

interface Connected {
  connection: { stream: { destroy(): void; bytesRead: number; bytesWritten: number } };
  processID: number | null;
}

/** These two are not in the types of `pg`. */
const asConnected = (client: Client | PoolClient) => client as unknown as Connected;

const pidOf = (client: Client | PoolClient): number => asConnected(client).processID ?? 0;

function bytesOf(client: PoolClient): number {
  const { stream } = asConnected(client).connection;
  return stream.bytesRead + stream.bytesWritten;
}

const breakOff = (client: Client | PoolClient) => {
  asConnected(client).connection.stream.destroy();
};
