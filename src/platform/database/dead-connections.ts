import { Client, DatabaseError, type Pool, type PoolClient } from 'pg';
import type { Logger } from '../logging.ts';
import { codeOf } from '../start-error.ts';
import type { HostRotation } from './hosts.ts';

/** The server is asked about a connection in use that was silent for this long. */
const SILENT_MS = 2_500;
const CHECK_INTERVAL_MS = 1_000;
/**
 * How long the server may take to answer. Turns of a timer are counted and not the time, since a
 * process that is held up cannot read the answer. A dead connection is closed within ten seconds.
 */
const ANSWER_TURNS = 40;
const TURN_MS = 100;
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

/**
 * Closes connections that died silently, as when a network drops packets or the server's machine
 * is gone: their statements then fail at once, and not after half a minute. A fresh connection asks
 * the server whether a silent connection is still at work there, so that slow statements survive. Behind
 * a pooler it cannot know, and a statement without an answer fails after `maxAnswerMs`.
 */
export function closeDeadConnections(deps: Dependencies): void {
  const { pool, maxAnswerMs = MAX_ANSWER_MS } = deps;
  const open = new Set<PoolClient>();
  const used = new Map<PoolClient, Activity>();
  let isChecking = false;
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  pool.on('acquire', (client) => {
    used.set(client, { bytes: undefined, silentSince: performance.now(), askedAt: 0 });
  });
  pool.on('release', (_error, client) => used.delete(client));
  const isOverdue = (client: PoolClient, { silentSince }: Activity) =>
    isWaiting(client) && performance.now() - silentSince >= maxAnswerMs;
  const check = async () => {
    for (const [client, activity] of used) noteActivity(client, activity);
    const silent = [...used].filter(([, activity]) => isSilent(activity));
    if (silent.length === 0) return;
    const isAtWork = await pidsAtWork(deps, [...open].map(pidOf));
    for (const [client, activity] of silent) noteActivity(client, activity);
    const dead = silent.filter(
      ([client, activity]) =>
        used.get(client) === activity &&
        isSilent(activity) &&
        (isOverdue(client, activity) || !isAtWork(pidOf(client))),
    );
    for (const [, activity] of silent) activity.askedAt = performance.now();
    if (dead.length === 0) return;
    deps.log.warn({ connections: dead.length }, 'Connections to the database were dead.');
    // Idle connections are most likely dead too.
    for (const client of open) {
      if (!used.has(client) || dead.some(([one]) => one === client)) destroySocket(client);
    }
  };
  const timer = setInterval(async () => {
    if (pool.ended) return clearInterval(timer);
    if (isChecking || used.size === 0) return;
    isChecking = true;
    await check();
    isChecking = false;
  }, CHECK_INTERVAL_MS).unref();
}

/** Notes how many bytes a connection has carried by now. */
function noteActivity(client: PoolClient, activity: Activity): void {
  const bytes = bytesOf(client);
  if (bytes !== activity.bytes) Object.assign(activity, { bytes, silentSince: performance.now() });
}

/** Whether a connection has carried nothing for long, and the server was not asked about it meanwhile. */
const isSilent = ({ silentSince, askedAt }: Activity): boolean =>
  performance.now() - Math.max(silentSince, askedAt) >= SILENT_MS;

/** Returns which of our server processes are at work; none when the server is silent as well. */
async function pidsAtWork(
  { hosts: { url } }: Dependencies,
  pids: number[],
): Promise<(pid: number) => boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  let turns = 0;
  const deadline = setInterval(() => ++turns === ANSWER_TURNS && destroySocket(client), TURN_MS);
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

/** Properties that the types of `pg` do not have. */
interface DriverInternals {
  connection: { stream: { destroy(): void; bytesRead: number; bytesWritten: number } };
  processID: number | null;
  readyForQuery: boolean;
}

const internalsOf = (client: Client | PoolClient) => client as unknown as DriverInternals;

const pidOf = (client: Client | PoolClient): number => internalsOf(client).processID ?? 0;

/** Whether the server owes the answer to a statement. */
const isWaiting = (client: PoolClient): boolean => !internalsOf(client).readyForQuery;

function bytesOf(client: PoolClient): number {
  const { stream } = internalsOf(client).connection;
  return stream.bytesRead + stream.bytesWritten;
}

const destroySocket = (client: Client | PoolClient) => {
  internalsOf(client).connection.stream.destroy();
};
