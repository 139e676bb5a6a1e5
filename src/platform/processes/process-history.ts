import type { Clock } from '../clock.ts';
import { type Queryable, sql } from '../database/database.ts';
import { quantileMs } from '../metrics/latency.ts';
import type { QueueState } from './backlog.ts';
import type { ProcessState } from './process-recorder.ts';

/** How long the rows of processes are kept. */
const KEPT_HOURS = 48;
/** How long the rows of individual requests are kept. */
const REQUESTS_KEPT_HOURS = 6;

/** The work of all processes in one span of time. */
interface ProcessSpan {
  /** The beginning of the span. */
  at: Date;
  /** Calls of operations. */
  requests: number;
  /** Calls that failed with a 5xx. */
  errors: number;
  /** Successful attempts to deliver a webhook. */
  deliveries: number;
  failedDeliveries: number;
  /** Quantiles of the duration of calls; null without calls. */
  p50Ms: number | null;
  p99Ms: number | null;
  /** The largest number in each process, summed over the processes; a document may be open in several. */
  liveDocuments: number;
  liveConnections: number;
  /** The longest delay in any process; see `ProcessState`. */
  loopDelayMs: number;
  /** The largest backlog of each queue; queues that were empty are left out. */
  backlog: Record<string, Omit<QueueState, 'queue'>>;
}

/** A process as it last described itself. */
interface SeenProcess {
  id: string;
  host: string;
  pid: number;
  roles: string[];
  version: string;
  startedAt: Date;
  /** Processes write once a minute. A process that has missed two of these writes was killed, or cannot write. */
  seenAt: Date;
  /** When the process stopped in an orderly way; null while it runs. */
  stoppedAt: Date | null;
  /** The state when the process was last seen. */
  state: ProcessState;
}

export interface ProcessHistory {
  /** One element for each span of `bucketSeconds`, without gaps, the oldest first. */
  series: ProcessSpan[];
  /** The totals of the whole time. */
  total: Omit<ProcessSpan, 'at'>;
  /** Processes that were seen since the beginning of the query, the last started first. */
  processes: SeenProcess[];
}

interface HistoryQuery {
  since: Date;
  until: Date;
  /** The length of a span in seconds, a multiple of 60. The caller bounds the number of spans. */
  bucketSeconds: number;
}

/**
 * Reads the work of all processes, from the rows that they wrote in the last 48 hours. A minute of
 * work is shown once it has ended, and counts for the span in which it ended.
 */
export async function readProcessHistory(
  db: Queryable,
  query: HistoryQuery,
): Promise<ProcessHistory> {
  const [rows, processes] = await Promise.all([
    readSpans(db, query),
    readProcesses(db, query.since),
  ]);
  const byStart = new Map(rows.map((row) => [row.start, row]));
  const { bucketSeconds } = query;
  const series: ProcessSpan[] = [];
  const last = query.until.getTime() / 1000;
  for (let start = spanStart(query.since, bucketSeconds); start < last; start += bucketSeconds) {
    const row = byStart.get(start) ?? { ...EMPTY_SPAN, start };
    series.push({ at: new Date(start * 1000), ...spanOf(row) });
  }
  return { series, total: spanOf(rows.reduce(addSpans, EMPTY_SPAN)), processes };
}

export async function deleteOldProcessMetrics({
  db,
  clock,
}: {
  db: Queryable;
  clock: Clock;
}): Promise<void> {
  const before = new Date(clock.now() - KEPT_HOURS * 3_600_000);
  const requestsBefore = new Date(clock.now() - REQUESTS_KEPT_HOURS * 3_600_000);
  await db.query(sql`
    WITH gone AS (DELETE FROM processes WHERE seen_at < ${before}),
      gone_requests AS (DELETE FROM logged_requests WHERE at < ${requestsBefore})
    DELETE FROM process_metrics WHERE at < ${before}`);
}

const spanStart = (time: Date, seconds: number): number =>
  Math.floor(time.getTime() / 1000 / seconds) * seconds;

interface SpanRow extends Omit<ProcessSpan, 'at' | 'p50Ms' | 'p99Ms'> {
  /** Unix seconds. */
  start: number;
  latency: number[];
}

const EMPTY_SPAN: SpanRow = {
  start: 0,
  requests: 0,
  errors: 0,
  deliveries: 0,
  failedDeliveries: 0,
  latency: [],
  liveDocuments: 0,
  liveConnections: 0,
  loopDelayMs: 0,
  backlog: {},
};

const spanOf = ({ start: _start, latency, ...row }: SpanRow): Omit<ProcessSpan, 'at'> => ({
  ...row,
  p50Ms: quantileMs(latency, 0.5),
  p99Ms: quantileMs(latency, 0.99),
});

function addSpans(one: SpanRow, other: SpanRow): SpanRow {
  const backlog = { ...one.backlog };
  for (const [queue, { waiting, oldestSeconds }] of Object.entries(other.backlog)) {
    backlog[queue] = {
      waiting: Math.max(waiting, backlog[queue]?.waiting ?? 0),
      oldestSeconds: Math.max(oldestSeconds, backlog[queue]?.oldestSeconds ?? 0),
    };
  }
  return {
    start: other.start,
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    deliveries: one.deliveries + other.deliveries,
    failedDeliveries: one.failedDeliveries + other.failedDeliveries,
    latency: other.latency.map((count, bucket) => count + (one.latency[bucket] ?? 0)),
    liveDocuments: Math.max(one.liveDocuments, other.liveDocuments),
    liveConnections: Math.max(one.liveConnections, other.liveConnections),
    loopDelayMs: Math.max(one.loopDelayMs, other.loopDelayMs),
    backlog,
  };
}

/**
 * Reads the work of each span. Counts are summed. For what processes hold, such as connections, the
 * largest value of each process is summed.
 */
const readSpans = (db: Queryable, { since, until, bucketSeconds }: HistoryQuery) =>
  db.query<SpanRow>(sql`
    WITH minute AS MATERIALIZED (
      SELECT *, (floor(extract(epoch FROM at) / ${bucketSeconds}::int) * ${bucketSeconds}::int)::float8
                AS start
      FROM process_metrics WHERE at > ${since} AND at <= ${until}
    ), process AS (
      SELECT start, process_id, sum(requests) AS requests, sum(errors) AS errors,
             sum(deliveries) AS deliveries, sum(failed_deliveries) AS failed_deliveries,
             max(live_documents) AS documents, max(live_connections) AS connections,
             max(loop_delay_ms) AS delay
      FROM minute GROUP BY start, process_id
    ), span AS (
      SELECT start, sum(requests)::float8 AS requests, sum(errors)::float8 AS errors,
             sum(deliveries)::float8 AS deliveries,
             sum(failed_deliveries)::float8 AS failed_deliveries,
             sum(documents)::int AS documents, sum(connections)::int AS connections,
             max(delay) AS delay
      FROM process GROUP BY start
    ), counted AS (
      SELECT start, bucket, sum(count)::float8 AS count
      FROM minute, unnest(latency) WITH ORDINALITY AS counts(count, bucket) GROUP BY start, bucket
    ), waited AS (
      SELECT start, key AS queue, max((value->>0)::int) AS waiting,
             max((value->>1)::float8) AS seconds
      FROM minute, jsonb_each(backlog) GROUP BY start, key
    )
    SELECT start, requests, errors, deliveries, failed_deliveries AS "failedDeliveries",
           documents AS "liveDocuments",
           connections AS "liveConnections", delay AS "loopDelayMs",
           ARRAY(SELECT count FROM counted WHERE counted.start = span.start ORDER BY bucket)
             AS latency,
           COALESCE((SELECT jsonb_object_agg(queue, jsonb_build_object(
                       'waiting', waiting, 'oldestSeconds', seconds))
                     FROM waited WHERE waited.start = span.start), '{}') AS backlog
    FROM span ORDER BY start`);

const readProcesses = (db: Queryable, since: Date) =>
  db.query<SeenProcess>(sql`
    SELECT id, host, pid, roles, version, started_at AS "startedAt", seen_at AS "seenAt",
           stopped_at AS "stoppedAt", state
    FROM processes WHERE seen_at > ${since} ORDER BY started_at DESC, id`);
