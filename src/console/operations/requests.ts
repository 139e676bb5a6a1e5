import { z } from 'zod';
import { pageOf, readPageToken, writePageToken } from '../../api/paging.ts';
import { consoleOperation, router } from '../../api/procedures.ts';
import { join, type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import type { LoggedRequest } from '../../platform/metrics/request-log.ts';
import { readAllowedKeys } from './keys.ts';

const PAGE_SIZE = 100;
const nameFilter = z.string().max(200).optional();
const STATUS_RANGES = { refused: [400, 499], failed: [500, 599] } as const;

const ListRequests = z.strictObject({
  operation: nameFilter,
  apiKey: nameFilter,
  outcome: z.enum(['refused', 'failed']).optional(),
  slowerThanMs: z.number().min(0).max(1e9).optional(),
  /** Epoch milliseconds. */
  until: z.number().int().min(0).max(1e14).optional(),
  pageToken: z.string().max(2000).optional(),
});
type Filters = Omit<z.infer<typeof ListRequests>, 'pageToken'>;

export const requestsRouter = router({
  /**
   * Individual requests of the last six hours, newest first. Of each minute, the failures, the slowest
   * and a sample of the others are kept. Of the current minute, only the requests to this process are listed.
   */
  list: consoleOperation
    .input(ListRequests)
    .query(async ({ ctx, input: { pageToken, ...filters } }) => {
      const { db, secrets, metrics } = ctx;
      const { bounds } = ctx.signedIn;
      const keys = await readAllowedKeys(db, bounds);
      const operation = 'console.requests.list';
      const query = { operation, tenantId: '', filters: { ...filters, bounds } };
      const from = readPageToken(secrets, query, pageToken);
      const requests = await db.query<LoggedRequest>(sql`
        SELECT id, floor(extract(epoch FROM at) * 1000)::float8 AS at, request_id AS "requestId",
               operation, api_key AS "apiKey", status, duration_ms AS "durationMs", statements
        FROM logged_requests WHERE ${conditionsOf(filters, keys, from)}
        ORDER BY logged_requests.at DESC, id DESC LIMIT ${PAGE_SIZE + 1}`);
      const { rows, nextPageToken } = pageOf(requests, PAGE_SIZE, ({ at, id }) =>
        writePageToken(secrets, query, [String(at), id]),
      );
      // The first page begins with the requests that this process has not written yet.
      const unwritten = from ? [] : metrics.requestLog.kept;
      const matching = unwritten.filter((one) => matches(one, filters, keys));
      matching.sort((one, other) => other.at - one.at);
      return { data: [...matching, ...rows], nextPageToken };
    }),
});

function conditionsOf(
  { operation, apiKey, outcome, slowerThanMs, until }: Filters,
  keys: string[] | undefined,
  from: string[] | undefined,
): Sql {
  const [at, id] = from ?? [];
  const conditions = [sql`true`];
  if (keys) conditions.push(sql`api_key = ANY(${keys}::text[])`);
  if (operation) conditions.push(sql`operation = ${operation}`);
  if (apiKey) conditions.push(sql`api_key = ${apiKey}`);
  if (outcome) {
    const [min, max] = STATUS_RANGES[outcome];
    conditions.push(sql`status BETWEEN ${min}::int AND ${max}::int`);
  }
  if (slowerThanMs !== undefined) conditions.push(sql`duration_ms >= ${slowerThanMs}::float8`);
  if (until !== undefined) conditions.push(sql`at <= ${new Date(until)}`);
  if (at !== undefined) conditions.push(sql`(at, id) < (${new Date(Number(at))}, ${id})`);
  return join(conditions, ' AND ');
}

/** Whether a request that has not been written yet matches the filters. */
function matches(
  { at, operation, apiKey, status, durationMs }: LoggedRequest,
  filters: Filters,
  keys: string[] | undefined,
): boolean {
  const [min, max] = filters.outcome ? STATUS_RANGES[filters.outcome] : [0, 599];
  return (
    (!keys || (apiKey !== null && keys.includes(apiKey))) &&
    (!filters.operation || filters.operation === operation) &&
    (!filters.apiKey || filters.apiKey === apiKey) &&
    status >= min &&
    status <= max &&
    durationMs >= (filters.slowerThanMs ?? 0) &&
    at <= (filters.until ?? Number.POSITIVE_INFINITY)
  );
}

interface WorstOperation {
  operation: string;
  apiKey: string | null;
  count: number;
  durationMs: number;
}

/** The slowest operations, and the operations that failed most often, each by API key. */
export async function readWorstRequests(db: Queryable, since: Date) {
  const worst = (condition: Sql, order: Sql) =>
    db.query<WorstOperation>(sql`
      SELECT operation, api_key AS "apiKey", count(*)::int AS count,
             max(duration_ms) AS "durationMs"
      FROM logged_requests WHERE at > ${since} AND ${condition}
      GROUP BY operation, api_key ORDER BY ${order}, operation LIMIT 5`);
  const [slowest, failing] = await Promise.all([
    worst(sql`status < 500`, sql`max(duration_ms) DESC`),
    worst(sql`status >= 500`, sql`count(*) DESC`),
  ]);
  return { slowest, failing };
}
