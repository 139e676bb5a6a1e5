import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { consoleKeyOperation, router } from '../../api/procedures.ts';
import { eventTypes } from '../../features/index.ts';
import { readDeliveryId } from '../../features/webhooks/deliveries/delivery-id.ts';
import { attemptsOf } from '../../features/webhooks/deliveries/get-deliveries.ts';
import { bodiesOf, type DueDelivery } from '../../features/webhooks/engine/bodies.ts';
import { COMMON_HEADERS } from '../../features/webhooks/engine/destination.ts';
import { sendExample } from '../../features/webhooks/engine/send-example.ts';
import type { PresentedAttempt } from '../../features/webhooks/schema.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';

const HOUR_MS = 3_600_000;
/** Counting stops at this number, so that a backlog of millions is not counted in full. */
const MAX_COUNTED = 10_000;

interface EndpointHealth {
  endpointId: string;
  failingSince: number | null;
  /** The number of deliveries that are waiting to be sent, at most MAX_COUNTED. */
  pending: number;
  /** The number of deliveries of the last hour's events, by outcome. Only the newest MAX_COUNTED are counted. */
  lastHour: { delivered: number; failed: number; total: number };
  /** The time of the last success among the newest thousand deliveries, in epoch milliseconds. */
  lastSuccessAt: number | null;
  /** The most recent attempt, among the attempts for the newest events. */
  lastAttempt: Pick<PresentedAttempt, 'at' | 'statusCode' | 'error'> | null;
}

interface DeliveryRow extends Omit<DueDelivery, 'tenantId' | 'endpointId' | 'dueAt' | 'failures'> {
  status: 'pending' | 'delivered' | 'failed';
  nextAttemptAt: number | null;
  isDisabled: boolean;
  attempts: PresentedAttempt[];
}

export const consoleWebhooksRouter = router({
  /** The health of the key's endpoints, including those of the basic webhooks. */
  health: consoleKeyOperation.input(z.strictObject({})).query(async ({ ctx }) => {
    const hourAgo = new Date(ctx.clock.now() - HOUR_MS);
    const endpoints = await ctx.db.query<EndpointHealth>(sql`
      SELECT queue.endpoint_id AS "endpointId",
             floor(extract(epoch FROM queue.failing_since) * 1000)::float8 AS "failingSince",
             pending.count AS pending,
             json_build_object('delivered', hour.delivered, 'failed', hour.failed,
                               'total', hour.total) AS "lastHour",
             floor(extract(epoch FROM success.at) * 1000)::float8 AS "lastSuccessAt",
             CASE WHEN attempt.at IS NOT NULL THEN json_build_object(
               'at', floor(extract(epoch FROM attempt.at) * 1000),
               'statusCode', attempt.status_code, 'error', attempt.error) END AS "lastAttempt"
      FROM webhook_queues AS queue
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS count FROM (
          SELECT 1 FROM webhook_deliveries AS delivery
          WHERE delivery.tenant_id = ${ctx.tenantId} AND delivery.endpoint_id = queue.endpoint_id
            AND delivery.status = 'pending' LIMIT ${MAX_COUNTED}) AS waiting
      ) AS pending
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE status = 'delivered')::int AS delivered,
               count(*) FILTER (WHERE status = 'failed')::int AS failed, count(*)::int AS total
        FROM (SELECT status FROM webhook_deliveries AS delivery
              WHERE delivery.tenant_id = ${ctx.tenantId} AND delivery.endpoint_id = queue.endpoint_id
                AND delivery.created_at >= ${hourAgo}
              ORDER BY delivery.created_at DESC, delivery.sequence DESC LIMIT ${MAX_COUNTED}) AS recent
      ) AS hour
      CROSS JOIN LATERAL (
        SELECT max(settled_at) FILTER (WHERE status = 'delivered') AS at
        FROM (SELECT status, settled_at FROM webhook_deliveries AS delivery
              WHERE delivery.tenant_id = ${ctx.tenantId} AND delivery.endpoint_id = queue.endpoint_id
              ORDER BY delivery.created_at DESC, delivery.sequence DESC LIMIT 1000) AS newest
      ) AS success
      LEFT JOIN LATERAL (
        SELECT * FROM (
          SELECT at, status_code, error FROM webhook_attempts AS attempt
          WHERE attempt.tenant_id = ${ctx.tenantId} AND attempt.endpoint_id = queue.endpoint_id
          ORDER BY attempt.sequence DESC, attempt.number DESC LIMIT 1000) AS newest
        ORDER BY newest.at DESC LIMIT 1
      ) AS attempt ON true
      WHERE queue.tenant_id = ${ctx.tenantId} ORDER BY queue.endpoint_id LIMIT 1000`);
    return { endpoints };
  }),

  /**
   * One delivery by its id, with all its attempts, and the request that each attempt sends. The body of
   * the request is null if the event is no longer stored.
   */
  delivery: consoleKeyOperation
    .input(z.strictObject({ deliveryId: id }))
    .query(async ({ ctx, input: { deliveryId } }) => {
      const { db, tenantId } = ctx;
      const key = readDeliveryId(deliveryId);
      if (!key) throw deliveryNotFound();
      const { endpointId, createdAt, eventId } = key;
      const [row] = await db.query<DeliveryRow>(sql`
        SELECT delivery.created_at AS "createdAt", delivery.sequence::text,
               delivery.event_id AS "eventId", delivery.event_type AS "eventType", delivery.status,
               floor(extract(epoch FROM delivery.due_at) * 1000)::float8 AS "nextAttemptAt",
               COALESCE(endpoint.disabled, false) AS "isDisabled",
               event.organization_id AS "organizationId", event.document_id AS "documentId",
               event.data::text AS data,
               ${attemptsOf(sql`delivery`)} AS attempts
        FROM webhook_deliveries AS delivery
        LEFT JOIN events AS event
          ON event.tenant_id = ${tenantId} AND event.sequence = delivery.sequence
        LEFT JOIN webhook_endpoints AS endpoint
          ON endpoint.tenant_id = ${tenantId} AND endpoint.id = delivery.endpoint_id
        WHERE delivery.tenant_id = ${tenantId} AND delivery.endpoint_id = ${endpointId}
          AND delivery.created_at = ${createdAt} AND delivery.event_id = ${eventId}
        LIMIT 1`);
      if (!row) throw deliveryNotFound();
      const { eventType, attempts } = row;
      const isDisabled = row.isDisabled && row.status === 'pending';
      // `bodiesOf` asks for `dueAt` and `failures`, but the body depends on neither, so any values do.
      const due = { ...row, tenantId, endpointId, dueAt: row.createdAt, failures: 0 };
      const [body = null] = await bodiesOf(ctx, [due]);
      const shown = { endpointId, eventId, eventType, attempts };
      return {
        id: deliveryId,
        ...shown,
        status: isDisabled ? ('disabled' as const) : row.status,
        nextAttemptAt: isDisabled ? null : row.nextAttemptAt,
        // Every attempt sends these headers, in addition to its time and signature.
        headers: { ...COMMON_HEADERS, 'webhook-id': eventId },
        body,
      };
    }),

  /** Sends the documented example of an event type to one endpoint, and returns the response. */
  sendExample: consoleKeyOperation
    .input(z.strictObject({ endpointId: id, type: z.string() }))
    .mutation(({ ctx, input: { endpointId, type } }) => {
      const eventType = Object.hasOwn(eventTypes, type) ? eventTypes[type] : undefined;
      if (!eventType) throw invalidArgument('type: not a known event type.');
      return sendExample(ctx, endpointId, { name: type, example: eventType.example });
    }),
});

const deliveryNotFound = () =>
  new AppError('NOT_FOUND', 'The delivery does not exist, or is no longer stored.');
