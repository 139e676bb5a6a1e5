import type { Socket } from 'node:net';
import { Client, DatabaseError, type Pool, type PoolClient } from 'pg';
import type { Logger } from '../logging.ts';
import { codeOf } from '../start-error.ts';
import type { HostRotation } from './hosts.ts';

declare module 'pg' {
  /** Properties that the types of the driver lack. */
  interface ClientBase {
    /** The id of the server's process. */
    processID: number | null;
    /** Whether the server has answered all statements. */
    readyForQuery: boolean;
  }
}

/** When a connection in use has been silent for this long, the server is asked about it. */
const SILENT_MS = 2_500;
const CHECK_INTERVAL_MS = 1_000;
/**
 * How long the server may take to answer. Ticks of a timer are counted instead of the time that has
 * passed: while this process is blocked, it cannot read the answer, but its timer does not tick either.
 * A dead connection is closed within ten seconds.
 */
const ANSWER_TICKS = 40;
const TICK_MS = 100;
/** Longer than the longest statement, which the server ends after half a minute. */
const MAX_ANSWER_MS = 35_000;

interface Dependencies {
  pool: Pool;
  hosts: HostRotation;
  log: Logger;
  /** How long the server may take to answer a statement. */
  maxAnswerMs?: number | undefined;
}

/** The activity of a connection in use. Times are those of `performance`. */
interface Activity {
  /** How many bytes the connection had carried at the last check. */
  bytes: number | undefined;
  /** Since when this number has not changed. */
  silentSince: number;
  /** When the server was asked about it. */
  askedAt: number;
}

type UsedConnections = Map<PoolClient, Activity>;

/**
 * Closes connections that died silently, as when a network drops packets or the server's machine
 * is gone: their statements then fail at once, and not after half a minute.
 */
export function closeDeadConnections(deps: Dependencies): void {
  const { pool, log } = deps;
  const open = new Set<PoolClient>();
  const used: UsedConnections = new Map();
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  pool.on('acquire', (client) => {
    used.set(client, { bytes: undefined, silentSince: performance.now(), askedAt: 0 });
  });
  pool.on('release', (_error, client) => used.delete(client));
  let isChecking = false;
  const timer = setInterval(async () => {
    if (pool.ended) return clearInterval(timer);
    if (isChecking || used.size === 0) return;
    isChecking = true;
    const dead = await findDead(deps, open, used);
    isChecking = false;
    if (dead.length === 0) return;
    log.warn({ connections: dead.length }, 'Connections to the database were dead.');
    // Idle connections are most likely dead too.
    const idle = [...open].filter((client) => !used.has(client));
    for (const client of [...dead, ...idle]) destroySocket(client);
  }, CHECK_INTERVAL_MS).unref();
}

/**
 * Finds dead connections among those in use. The server is asked over a fresh connection whether it is
 * still at work for a silent one, so that slow statements survive. Behind a pooler this cannot be found
 * out, and a statement without an answer fails after `maxAnswerMs`.
 */
async function findDead(
  { hosts, maxAnswerMs = MAX_ANSWER_MS }: Dependencies,
  open: Set<PoolClient>,
  used: UsedConnections,
): Promise<PoolClient[]> {
  const silent = [...used].filter(([client, activity]) => isSilent(client, activity));
  if (silent.length === 0) return [];
  const isAtWork = await pidsAtWork(hosts.url, [...open].map(pidOf));
  const dead = silent.filter(([client, activity]) => {
    // Meanwhile the connection may have been released, or have carried something.
    if (used.get(client) !== activity || !isSilent(client, activity)) return false;
    const silentMs = performance.now() - activity.silentSince;
    return (isWaiting(client) && silentMs >= maxAnswerMs) || !isAtWork(pidOf(client));
  });
  for (const [, activity] of silent) activity.askedAt = performance.now();
  return dead.map(([client]) => client);
}

/**
 * Whether a connection has carried nothing for long, and the server was not asked about it meanwhile.
 * Also records in `activity` how many bytes it has carried by now.
 */
function isSilent(client: PoolClient, activity: Activity): boolean {
  const bytes = bytesOf(client);
  const now = performance.now();
  if (bytes !== activity.bytes) Object.assign(activity, { bytes, silentSince: now });
  return now - Math.max(activity.silentSince, activity.askedAt) >= SILENT_MS;
}

/** Returns which of these server processes are at work; none of them when the server does not answer. */
async function pidsAtWork(url: string, pids: number[]): Promise<(pid: number) => boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  let ticks = 0;
  const deadline = setInterval(() => ++ticks === ANSWER_TICKS && destroySocket(client), TICK_MS);
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

/** Whether the server owes the answer to a statement. */
const isWaiting = ({ readyForQuery }: PoolClient): boolean => !readyForQuery;

function bytesOf({ connection }: PoolClient): number {
  const { bytesRead, bytesWritten } = connection.stream as Socket;
  return bytesRead + bytesWritten;
}

const destroySocket = ({ connection }: Client) => connection.stream.destroy();
