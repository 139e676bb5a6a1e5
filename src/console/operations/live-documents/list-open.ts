import type { Services } from '../../../api/context.ts';
import { disconnectedBefore } from '../../../features/presence/timeouts.ts';
import { sql } from '../../../platform/database/database.ts';

const MAX_DOCUMENTS = 200;
const MAX_PEOPLE = 20;

interface Person {
  userId: string;
  name: string | null;
}

export interface OpenDocument {
  organizationId: string;
  documentId: string;
  documentName: string | null;
  /** How many users have it open, and the first of them by id. */
  peopleCount: number;
  people: Person[];
  /** How many processes hold a copy for them. */
  processes: number;
}

/** Reads the connections that every process records. A process that died counts no longer. */
export async function listOpen(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  tenantId: string,
): Promise<{ documents: OpenDocument[]; hasMore: boolean }> {
  const found = await db.query<OpenDocument>(sql`
    WITH open AS (
      SELECT organization_id, document_id, count(DISTINCT user_id)::int AS people_count,
             count(DISTINCT process_id)::int AS processes,
             (array_agg(DISTINCT user_id))[1:${MAX_PEOPLE}::int] AS user_ids
      FROM presence_connections c JOIN presence_processes p ON p.id = c.process_id
      WHERE c.tenant_id = ${tenantId} AND NOT p.is_dead
        AND p.seen_at > ${disconnectedBefore(clock.now())}
      GROUP BY organization_id, document_id
      ORDER BY organization_id, document_id LIMIT ${MAX_DOCUMENTS + 1}
    )
    SELECT open.organization_id AS "organizationId", open.document_id AS "documentId",
           d.document_name AS "documentName", people_count AS "peopleCount", processes,
           (SELECT json_agg(json_build_object('userId', named.user_id, 'name', u.name)
                            ORDER BY named.user_id)
            FROM unnest(user_ids) AS named(user_id)
            LEFT JOIN users u ON u.tenant_id = ${tenantId} AND u.user_id = named.user_id) AS people
    FROM open LEFT JOIN documents d ON d.tenant_id = ${tenantId}
      AND d.organization_id = open.organization_id AND d.document_id = open.document_id
    ORDER BY open.organization_id, open.document_id`);
  return { documents: found.slice(0, MAX_DOCUMENTS), hasMore: found.length > MAX_DOCUMENTS };
}
