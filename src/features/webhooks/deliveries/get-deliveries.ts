import type { KeyContext } from '../../../api/context.ts';
import { readPageToken, writePageToken } from '../../../api/paging.ts';
import { empty, type Sql, sql } from '../../../platform/database/database.ts';
import { BASIC_ENDPOINTS } from '../basic-endpoints.ts';
import { endpointNotFound, requireAdvancedWebhooks } from '../endpoints/require-endpoint.ts';
import type {
  DeliveryStatus,
  GetDeliveriesInput,
  PresentedAttempt,
  PresentedDelivery,
} from '../schema.ts';
import { deliveryIdOf } from './delivery-id.ts';

interface DeliveryRow {
  endpointId: string;
  createdAt: Date;
  sequence: string;
  eventId: string;
  eventType: string;
  status: 'pending' | 'delivered' | 'failed';
  dueAt: Date | null;
  isDisabled: boolean;
  attempts: PresentedAttempt[];
}

interface ListedEndpoint {
  id: string;
  isDisabled: boolean;
}

/** Lists deliveries in the order of their events, newest first, also for events of the same millisecond. */
export async function getDeliveries(ctx: KeyContext, input: GetDeliveriesInput) {
  const { limit, iterator, ...filters } = input;
  const query = { operation: 'webhookDeliveries.get', tenantId: ctx.tenantId, filters };
  const after = readPageToken(ctx.secrets, query, iterator, 'iterator');
  await requireAdvancedWebhooks(ctx);
  const endpoints = await selectListedEndpoints(ctx, filters);
  const found = await selectDeliveries(ctx, input, endpoints, after);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const done = found.length <= limit;
  const key = last && [String(last.createdAt.getTime()), last.sequence, last.endpointId];
  return {
    deliveries: rows.map(present),
    iterator: done || !key ? null : writePageToken(ctx.secrets, query, key),
    done,
  };
}

/** Returns the endpoints whose deliveries are listed. They are few, and an index orders each endpoint's deliveries. */
async function selectListedEndpoints(
  { db, tenantId }: KeyContext,
  { endpointId, status }: Pick<GetDeliveriesInput, 'endpointId' | 'status'>,
): Promise<ListedEndpoint[]> {
  if (endpointId !== undefined && BASIC_ENDPOINTS.includes(endpointId)) {
    return status === 'disabled' ? [] : [{ id: endpointId, isDisabled: false }];
  }
  const withId = endpointId === undefined ? empty : sql`AND id = ${endpointId}`;
  const endpoints = await db.query<ListedEndpoint>(sql`
    SELECT id, disabled AS "isDisabled" FROM webhook_endpoints
    WHERE tenant_id = ${tenantId} ${withId}`);
  if (endpointId !== undefined && endpoints.length === 0) throw endpointNotFound();
  if (status === 'pending') return endpoints.filter(({ isDisabled }) => !isDisabled);
  return status === 'disabled' ? endpoints.filter(({ isDisabled }) => isDisabled) : endpoints;
}

/**
 * Reads one row more than the page, to see whether there is a next page. The same statement reads the
 * attempts, so that they match the status.
 */
function selectDeliveries(
  ctx: KeyContext,
  { status, type, since, limit }: GetDeliveriesInput,
  endpoints: ListedEndpoint[],
  after: string[] | undefined,
): Promise<DeliveryRow[]> {
  const [time = '0', sequence, endpointId] = after ?? [];
  const from = new Date(Number(time));
  const fromPage = after
    ? sql`AND created_at <= ${from}
        AND (created_at, sequence, endpoint_id) < (${from}, ${sequence}::bigint, ${endpointId})`
    : empty;
  const ofType = type === undefined ? empty : sql`AND event_type = ${type}`;
  const fromTime = since === undefined ? empty : sql`AND created_at >= ${new Date(since)}`;
  return ctx.db.query<DeliveryRow>(sql`
    SELECT found.endpoint_id AS "endpointId", found.created_at AS "createdAt",
           found.sequence::text, found.event_id AS "eventId", found.event_type AS "eventType",
           found.status, found.due_at AS "dueAt", endpoint.is_disabled AS "isDisabled",
           ${attemptsOf(sql`found`)} AS attempts
    FROM unnest(${endpoints.map(({ id }) => id)}::text[],
                ${endpoints.map(({ isDisabled }) => isDisabled)}::boolean[])
           AS endpoint(id, is_disabled)
    CROSS JOIN LATERAL (
      SELECT * FROM webhook_deliveries
      WHERE tenant_id = ${ctx.tenantId} AND endpoint_id = endpoint.id
        ${status ? WITH_STATUS[status] : empty} ${ofType} ${fromTime} ${fromPage}
      ORDER BY created_at DESC, sequence DESC LIMIT ${limit + 1}
    ) AS found
    ORDER BY found.created_at DESC, found.sequence DESC, found.endpoint_id DESC
    LIMIT ${limit + 1}`);
}

/** SQL: the attempts of a delivery, in their order. */
export const attemptsOf = (delivery: Sql): Sql => sql`ARRAY(
  SELECT json_build_object('at', floor(extract(epoch FROM at) * 1000)::bigint,
    'statusCode', status_code, 'latencyMs', latency_ms, 'error', error, 'excerpt', excerpt)
  FROM webhook_attempts AS attempt
  WHERE attempt.tenant_id = ${delivery}.tenant_id AND attempt.endpoint_id = ${delivery}.endpoint_id
    AND attempt.sequence = ${delivery}.sequence
  ORDER BY number)`;

/**
 * SQL with the status as a literal, so that the partial index `webhook_deliveries_open` applies. Deliveries of
 * disabled endpoints are stored as pending, too; `selectListedEndpoints` chooses the endpoints.
 */
const WITH_STATUS: Record<DeliveryStatus, Sql> = {
  delivered: sql`AND status = 'delivered'`,
  failed: sql`AND status = 'failed'`,
  pending: sql`AND status = 'pending'`,
  disabled: sql`AND status = 'pending'`,
};

function present(row: DeliveryRow): PresentedDelivery {
  const isDisabled = row.status === 'pending' && row.isDisabled;
  return {
    id: deliveryIdOf(row),
    endpointId: row.endpointId,
    eventId: row.eventId,
    eventType: row.eventType,
    status: isDisabled ? 'disabled' : row.status,
    nextAttemptAt: row.status === 'pending' && !isDisabled ? (row.dueAt?.getTime() ?? null) : null,
    attempts: row.attempts,
  };
}
