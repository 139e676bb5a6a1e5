import { sql } from '../../platform/database/database.ts';
import type { EraseWithEvents } from '../events/erasure.ts';

/**
 * Deletes stored responses of receivers, which may repeat the events that were sent to them. Naming the
 * endpoints lets PostgreSQL find the attempts by the primary key.
 */
export const eraseReceiverResponses: EraseWithEvents = async (tx, tenantId, sequences) => {
  await tx.query(sql`
    UPDATE webhook_attempts SET excerpt = NULL
    WHERE tenant_id = ${tenantId} AND excerpt IS NOT NULL
      AND sequence = ANY(${sequences}::bigint[])
      AND endpoint_id IN (SELECT endpoint_id FROM webhook_queues WHERE tenant_id = ${tenantId})`);
};
