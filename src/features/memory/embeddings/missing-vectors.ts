import { type Queryable, sql } from '../../../platform/database/database.ts';
import { bytesOf } from './vectors.ts';

/** How many texts one call to a provider embeds. */
export const BATCH = 100;
/** How many of the newest judgments are checked, and how many of the next ones of the walk. */
const STEP = 1_000;

type Context = { db: Queryable; tenantId: string };

interface Judgment {
  recordId: string;
  query: string;
}

/**
 * Finds judgments without a vector of the model, the newest first. New judgments are the most
 * likely to lack one; a repeated walk through all judgments finds the others. Each vector is looked
 * up separately, so that PostgreSQL does not read all vectors of the tenant.
 */
export const judgmentsWithoutVector = (
  { db, tenantId }: Context,
  model: string,
  walkedTo: string,
): Promise<Judgment[]> =>
  db.query<Judgment>(sql`
    SELECT lacking.record_id AS "recordId", judgment.query FROM (
      SELECT looked.record_id, looked.created_ms FROM (
        (SELECT record_id, created_ms FROM memory_judgments WHERE tenant_id = ${tenantId}
         ORDER BY memory_judgments.created_ms DESC, memory_judgments.position DESC LIMIT ${STEP})
        UNION
        (SELECT record_id, created_ms FROM memory_judgments
         WHERE tenant_id = ${tenantId} AND record_id > ${walkedTo} ORDER BY record_id LIMIT ${STEP})
      ) AS looked
      LEFT JOIN LATERAL (
        SELECT true AS is_there FROM memory_embeddings
        WHERE tenant_id = ${tenantId} AND record_id = looked.record_id AND model = ${model} OFFSET 0
      ) AS stored ON true
      WHERE stored.is_there IS NULL
      ORDER BY looked.created_ms DESC, looked.record_id LIMIT ${BATCH}
    ) AS lacking
    CROSS JOIN LATERAL (
      SELECT query FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id = lacking.record_id OFFSET 0) AS judgment`);

/** The position of the walk after a step, or an empty one when the walk starts again. */
export async function nextWalkedTo({ db, tenantId }: Context, walkedTo: string): Promise<string> {
  const [last] = await db.query<{ recordId: string }>(sql`
    SELECT record_id AS "recordId" FROM memory_judgments
    WHERE tenant_id = ${tenantId} AND record_id > ${walkedTo}
    ORDER BY record_id OFFSET ${STEP - 1} LIMIT 1`);
  return last?.recordId ?? '';
}

/**
 * Stores vectors, except for judgments that were deleted or changed meanwhile. The check locks the
 * judgments in the order of their keys, so that a later change finds the vector and deletes it.
 */
export async function storeVectors(
  { db, tenantId }: Context,
  model: string,
  judgments: Judgment[],
  vectors: Float32Array[],
): Promise<void> {
  const rows = judgments
    .map(({ recordId, query }, index) => ({ recordId, query, vector: vectors[index] }))
    .flatMap(({ vector, ...row }) => (vector ? [{ ...row, bytes: bytesOf(vector) }] : []))
    .sort((a, b) => (a.recordId < b.recordId ? -1 : 1));
  await db.query(sql`
    INSERT INTO memory_embeddings (tenant_id, record_id, model, vector)
    SELECT ${tenantId}, unchanged.record_id, ${model}, asked.vector
    FROM unnest(${rows.map(({ recordId }) => recordId)}::text[],
      ${rows.map(({ query }) => query)}::text[], ${rows.map(({ bytes }) => bytes)}::bytea[])
      AS asked(record_id, query, vector)
    CROSS JOIN LATERAL (
      SELECT record_id FROM memory_judgments
      WHERE tenant_id = ${tenantId} AND record_id = asked.record_id AND query = asked.query
      FOR SHARE) AS unchanged
    ON CONFLICT (tenant_id, record_id) DO UPDATE
    SET model = excluded.model, vector = excluded.vector`);
}
