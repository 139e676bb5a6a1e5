import type { RequestContext } from '../../api/context.ts';
import { type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import { isSealingKey } from '../../platform/key-sentinel.ts';
import type { QueueState } from '../../platform/processes/backlog.ts';
import type { ProcessHistory } from '../../platform/processes/process-history.ts';

/** A condition that an operator should look at. */
export interface Attention {
  kind: 'sealing key' | 'process' | 'redis' | 'queue' | 'endpoint' | 'errors' | 'chain';
  /** The subject: a queue, a process, an organization, or an endpoint's description or URL. */
  name: string;
  /** The number of waiting entries or of failed calls; for a chain, the position of the broken record. */
  count?: number;
  /** The beginning of the condition, in epoch milliseconds. */
  since?: number;
  /** The API key of an endpoint, or of the chain of the organization in `name`. */
  apiKey?: string;
  endpointId?: string;
}

/** How many endpoints are listed, and how many chains. */
const MAX_LISTED = 50;

/** The endpoints of these keys, or of all keys, to which deliveries fail. */
export const failingEndpoints = (db: Queryable, keys?: string[]): Promise<Attention[]> =>
  db.query<Pick<Attention, 'kind' | 'name' | 'apiKey' | 'endpointId' | 'since'>>(sql`
    SELECT 'endpoint' AS kind, queue.tenant_id AS "apiKey", queue.endpoint_id AS "endpointId",
           coalesce(nullif(description, ''), url, queue.endpoint_id) AS name,
           floor(extract(epoch FROM failing_since) * 1000)::float8 AS since
    FROM webhook_queues AS queue /* all tenants */
    LEFT JOIN webhook_endpoints AS endpoint
      ON endpoint.tenant_id = queue.tenant_id AND endpoint.id = queue.endpoint_id
    WHERE failing_since IS NOT NULL AND ${matchesKeys(sql`queue.tenant_id`, keys)}
    ORDER BY failing_since LIMIT ${MAX_LISTED}`);

const matchesKeys = (column: Sql, keys: string[] | undefined): Sql =>
  keys ? sql`${column} = ANY(${keys}::text[])` : sql`true`;

/** A queue needs attention if its oldest entry has waited for longer than this. */
const MAX_WAIT_SECONDS: Record<string, number> = {
  outbox: 15,
  mails: 300,
  jobs: 300,
  'failed-jobs': 0,
  'due-deliveries': 60,
  'pending-deliveries': 3_600,
};
const READER_MAX_WAIT_SECONDS = 60;

export const slowQueues = (queues: QueueState[], now: number): Attention[] =>
  queues.flatMap(({ queue: name, waiting: count, oldestSeconds }) =>
    count > 0 && oldestSeconds > (MAX_WAIT_SECONDS[name] ?? READER_MAX_WAIT_SECONDS)
      ? [{ kind: 'queue', name, count, since: now - oldestSeconds * 1000 }]
      : [],
  );

export type SeenProcess = ProcessHistory['processes'][number];

/** A process that has not written for this long is gone. Processes write once a minute. */
const GONE_AFTER_MS = 150_000;

export const isGone = ({ stoppedAt, seenAt }: SeenProcess, now: number): boolean =>
  stoppedAt === null && now - seenAt.getTime() > GONE_AFTER_MS;

/** Processes that were killed or cannot write, unless another one has replaced them. */
export function lostProcesses(processes: SeenProcess[], now: number): Attention[] {
  const isReplaced = (gone: SeenProcess) =>
    processes.some(
      ({ host, roles, startedAt }) =>
        host === gone.host &&
        startedAt > gone.startedAt &&
        gone.roles.every((role) => roles.includes(role)),
    );
  return processes
    .filter((seen) => isGone(seen, now) && !isReplaced(seen))
    .map((seen) => ({ kind: 'process', name: processName(seen), since: seen.seenAt.getTime() }));
}

/** Running processes that use Redis and cannot reach it. */
export const processesWithoutRedis = (processes: SeenProcess[], now: number): Attention[] =>
  processes
    .filter((seen) => seen.state.redis === false && !seen.stoppedAt && !isGone(seen, now))
    .map((seen) => ({ kind: 'redis', name: processName(seen), since: seen.seenAt.getTime() }));

const processName = ({ host, pid }: SeenProcess): string => `${host}, process ${pid}`;

/** Returns a condition if this process cannot decrypt the secrets that other processes have encrypted. */
export async function lostSealingKey({ db, secrets }: RequestContext): Promise<Attention[]> {
  const isLost = (await isSealingKey(db, secrets)) === false;
  return isLost ? [{ kind: 'sealing key', name: 'SECRET_KEY' }] : [];
}

const RECENTLY_MS = 15 * 60_000;

/** Calls that failed through no fault of their callers, in the spans of `spanMs` that ended recently. */
export function recentErrors({ series }: ProcessHistory, spanMs: number, now: number): Attention[] {
  const recent = series.filter(({ at }) => now - (at.getTime() + spanMs) <= RECENTLY_MS);
  const count = recent.reduce((sum, { errors }) => sum + errors, 0);
  const first = recent.find(({ errors }) => errors > 0);
  return first ? [{ kind: 'errors', name: '', count, since: first.at.getTime() }] : [];
}

/** Activity chains that were found to be broken at their last verification. */
export const brokenChains = (db: Queryable, keys?: string[]): Promise<Attention[]> =>
  db.query<Pick<Attention, 'kind' | 'name' | 'apiKey' | 'count'>>(sql`
    SELECT 'chain' AS kind, organization_id AS name, tenant_id AS "apiKey",
           broken_at::float8 AS count
    FROM activity_chains /* all tenants */
    WHERE broken_at IS NOT NULL AND ${matchesKeys(sql`tenant_id`, keys)}
    ORDER BY tenant_id, organization_id LIMIT ${MAX_LISTED}`);

export async function countChains(db: Queryable) {
  const [counts] = await db.query<{ chains: number; verified: number }>(sql`
    SELECT count(*)::int AS chains, count(verified_at)::int AS verified
    FROM activity_chains /* all tenants */`);
  return counts ?? { chains: 0, verified: 0 };
}
