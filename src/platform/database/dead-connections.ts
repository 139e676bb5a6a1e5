import type { Socket } from 'node:net';
import { Client, DatabaseError, type Pool, type PoolClient } from 'pg';
import type { Logger } from '../logging.ts';
import { codeOf } from '../start-error.ts';
import type { HostRotation } from './hosts.ts';

declare module 'pg' {
  /** Properties that the driver's types lack. */
  interface ClientBase {
    /** The id of the server's process. */
    processID: number | null;
    /** Whether the server has sent the results of all statements. */
    readyForQuery: boolean;
  }
}

/** If a connection in use has been silent for this long, the server is asked about it. */
const SILENT_MS = 2_500;
const CHECK_INTERVAL_MS = 1_000;
/**
 * How long the server may take to reply to the check, so that a dead connection is closed within ten
 * seconds. Ticks of a timer are counted instead of the elapsed time: while this process is blocked,
 * it cannot read the reply, but its timer does not tick either.
 */
const REPLY_TICKS = 40;
const TICK_MS = 100;
/** Longer than the longest statement, which the server ends after half a minute. */
const MAX_STATEMENT_MS = 35_000;

interface Dependencies {
  pool: Pool;
  hosts: HostRotation;
  log: Logger;
  /** How long a statement may take before its connection counts as dead. */
  maxStatementMs?: number | undefined;
}

/** The activity of a connection in use. Times are those of `performance.now()`. */
interface Activity {
  /** How many bytes the connection had carried at the last check. */
  bytes: number | undefined;
  /** Since when `bytes` has not changed. */
  silentSince: number;
  /** When the server was last asked about the connection. */
  askedAt: number;
}

type UsedConnections = Map<PoolClient, Activity>;

/**
 * Closes connections that died silently, for example because the network drops packets or the
 * server's machine is gone. Their statements then fail at once, and not after half a minute.
 */
export function closeDeadConnections(deps: Dependencies): void {
  const { pool, log } = deps;
  const openClients = new Set<PoolClient>();
  const used: UsedConnections = new Map();
  pool.on('connect', (client) => openClients.add(client));
  pool.on('remove', (client) => openClients.delete(client));
  pool.on('acquire', (client) => {
    used.set(client, { bytes: undefined, silentSince: performance.now(), askedAt: 0 });
  });
  pool.on('release', (_error, client) => used.delete(client));
  let isChecking = false;
  const timer = setInterval(async () => {
    if (pool.ended) return clearInterval(timer);
    if (isChecking || used.size === 0) return;
    isChecking = true;
    const dead = await findDead(deps, openClients, used);
    isChecking = false;
    if (dead.length === 0) return;
    log.warn({ connections: dead.length }, 'Closing dead database connections.');
    // Idle connections are most likely dead, so they are closed, too.
    const idle = [...openClients].filter((client) => !used.has(client));
    for (const client of [...dead, ...idle]) destroySocket(client);
  }, CHECK_INTERVAL_MS).unref();
}

/**
 * Finds dead connections among those in use. The server is asked over a new connection whether it is
 * still running the statements of the silent ones, so that slow statements survive. Behind a pooler,
 * the server cannot tell, and a statement without a result fails after `maxStatementMs`.
 */
async function findDead(
  { hosts, maxStatementMs = MAX_STATEMENT_MS }: Dependencies,
  openClients: Set<PoolClient>,
  used: UsedConnections,
): Promise<PoolClient[]> {
  for (const [client, activity] of used) recordActivity(client, activity);
  const silent = [...used].filter(([, activity]) => isSilent(activity));
  if (silent.length === 0) return [];
  const isAtWork = await askWhichAreAtWork(hosts.url, [...openClients].map(pidOf));
  // Meanwhile, a connection may have carried something, or may have been released.
  for (const [client, activity] of silent) recordActivity(client, activity);
  const dead = silent.filter(([client, activity]) => {
    if (used.get(client) !== activity || !isSilent(activity)) return false;
    const silentMs = performance.now() - activity.silentSince;
    return (isWaiting(client) && silentMs >= maxStatementMs) || !isAtWork(pidOf(client));
  });
  for (const [, activity] of silent) activity.askedAt = performance.now();
  return dead.map(([client]) => client);
}

/** Records how many bytes the connection has carried by now. */
function recordActivity(client: PoolClient, activity: Activity): void {
  const bytes = bytesOf(client);
  if (bytes !== activity.bytes) Object.assign(activity, { bytes, silentSince: performance.now() });
}

/** Whether a connection has carried nothing for long, and the server was not asked about it meanwhile. */
const isSilent = ({ silentSince, askedAt }: Activity): boolean =>
  performance.now() - Math.max(silentSince, askedAt) >= SILENT_MS;

/**
 * Returns a predicate: whether one of these server processes is at work. It is true for all processes
 * behind a pooler and on a server that refuses the connection, and false for all if no reply comes.
 */
async function askWhichAreAtWork(url: string, pids: number[]): Promise<(pid: number) => boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  let ticks = 0;
  const deadline = setInterval(() => {
    ticks += 1;
    if (ticks === REPLY_TICKS) destroySocket(client);
  }, TICK_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ own: number; busy: number[] }>(
      `SELECT pg_backend_pid() AS own,
         ARRAY(SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state <> 'idle') AS busy`,
      [pids],
    );
    const { own, busy } = rows[0] ?? { own: 0, busy: [] };
    // A pooler in between assigns its own process ids, which the server does not know.
    if (own !== pidOf(client)) return () => true;
    return (pid) => busy.includes(pid);
  } catch (error) {
    // A server that refuses the connection is alive, and closes dead connections itself.
    const isAlive = error instanceof DatabaseError || codeOf(error) === 'ECONNREFUSED';
    return () => isAlive;
  } finally {
    clearInterval(deadline);
    destroySocket(client);
  }
}

const pidOf = ({ processID }: Client): number => processID ?? 0;

/** Whether the server still owes the result of a statement. */
const isWaiting = ({ readyForQuery }: PoolClient): boolean => !readyForQuery;

function bytesOf({ connection }: PoolClient): number {
  const { bytesRead, bytesWritten } = connection.stream as Socket;
  return bytesRead + bytesWritten;
}

const destroySocket = ({ connection }: Client) => connection.stream.destroy();
