import type { Client } from 'pg';
import type { Config } from '../../config.ts';
import { type Finding, fine, problem, warning } from './check.ts';

/** A process writes its row once a minute. One that misses two has crashed. */
const SEEN_SECONDS = 130;
/** Connections of a process beside its pool: sequencer, listener, and a look at silent ones. */
const OWN_CONNECTIONS = 3;

interface Running {
  count: number;
  /** The connections that their pools may open. */
  pooled: number;
  used: number;
  most: number;
}

/** Whether the running processes fit together, and into the connections of the database. */
export async function checkProcesses(client: Client, config: Config): Promise<Finding[]> {
  const { rows } = await client.query<Running>(
    `SELECT count(*)::int AS count,
       COALESCE(sum(COALESCE((state->'database'->>'most')::int, $1)), 0)::int AS pooled,
       (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
       current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int AS most
     FROM processes
     WHERE stopped_at IS NULL AND seen_at > clock_timestamp() - $2 * interval '1 second'`,
    [config.databasePoolSize, SEEN_SECONDS],
  );
  return rows.flatMap((running) => [
    checkConnections(running, config),
    ...checkShared(running, config),
  ]);
}

/** Processes behind a pooler share its connections. */
function checkConnections({ count, pooled, used, most }: Running, config: Config): Finding {
  const own = config.databasePoolSize + OWN_CONNECTIONS;
  const all = pooled + count * OWN_CONNECTIONS;
  const message = `${used} of ${most} connections are in use, a process takes up to ${own}, and the ${count} running take up to ${all}.`;
  const isEnough = used + own <= most && (all <= most || config.directDatabaseUrl !== undefined);
  if (isEnough) return fine('connections', message);
  const remedy = 'Lower DATABASE_POOL_SIZE, raise max_connections, or put a pooler in between.';
  return warning('connections', message, remedy);
}

function checkShared({ count }: Running, { redisUrl }: Config): Finding[] {
  if (redisUrl !== undefined) return [];
  const message = `REDIS_URL is not set, and ${count} processes run.`;
  if (count < 2) return [fine('redis', message)];
  return [problem('redis', message, 'Set REDIS_URL to the same Redis for all processes.')];
}
