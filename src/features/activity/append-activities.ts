import { jsonLists, mapInChunks } from '../../platform/chunks.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { type ActivityFacts, type ActivityRecord, chain, FIRST_HASH } from './record.ts';

interface ChainEnd {
  organizationId: string;
  length: number;
  hash: string;
}

/**
 * Appends records to the chains of their organizations, each once, in five statements unless they
 * are large. Records of a deleted organization are skipped.
 *
 * @returns the written records
 */
export async function appendActivities(
  tx: Transaction,
  tenantId: string,
  facts: ActivityFacts[],
): Promise<ActivityRecord[]> {
  const byOrganization = Map.groupBy(facts, ({ organizationId }) => organizationId);
  const ends = await lockEnds(tx, tenantId, [...byOrganization.keys()]);
  const known = await knownIds(tx, tenantId, facts);
  const chained = ends.map((end) => {
    const own = byOrganization.get(end.organizationId) ?? [];
    const isNew = ({ id }: ActivityFacts) => !known.has(keyOf(end.organizationId, id));
    return chain(tenantId, end, own.filter(isNew));
  });
  const records = (await Promise.all(chained)).flat();
  if (records.length === 0) return [];
  await insert(tx, tenantId, records);
  await moveEnds(tx, tenantId, records);
  return records;
}

/**
 * Locks the ends of chains, so that writers of one chain follow each other. The order of ids, and
 * organizations before chains as in their deletion, prevent deadlocks.
 */
async function lockEnds(
  tx: Transaction,
  tenantId: string,
  organizationIds: string[],
): Promise<ChainEnd[]> {
  await tx.query(sql`
    INSERT INTO activity_chains (tenant_id, organization_id, hash)
    SELECT tenant_id, organization_id, ${FIRST_HASH} FROM organizations
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${organizationIds})
    ORDER BY organization_id FOR KEY SHARE
    ON CONFLICT DO NOTHING`);
  return tx.query<ChainEnd>(sql`
    SELECT organization_id AS "organizationId", length::float8 AS length, hash
    FROM activity_chains
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${organizationIds})
    ORDER BY organization_id FOR NO KEY UPDATE`);
}

const keyOf = (organizationId: string, id: string) => JSON.stringify([organizationId, id]);

async function knownIds(
  tx: Transaction,
  tenantId: string,
  facts: ActivityFacts[],
): Promise<Set<string>> {
  const rows = await tx.query<{ organizationId: string; id: string }>(sql`
    SELECT organization_id AS "organizationId", id
    FROM unnest(${facts.map((fact) => fact.organizationId)}::text[],
                ${facts.map((fact) => fact.id)}::text[]) AS asked(organization_id, id)
    JOIN activities USING (organization_id, id)
    WHERE tenant_id = ${tenantId}`);
  return new Set(rows.map(({ organizationId, id }) => keyOf(organizationId, id)));
}

async function insert(tx: Transaction, tenantId: string, records: ActivityRecord[]): Promise<void> {
  const rows = records.values().map((record) => ({
    organization_id: record.organizationId,
    position: record.position,
    id: record.id,
    document_id: record.documentId,
    feature_type: record.featureType,
    action_type: record.actionType,
    user_id: record.userId,
    content: record.content,
    is_immutable: record.isImmutable,
    created_at: record.createdAt,
    previous_hash: record.previousHash,
    hash: record.hash,
    content_hash: record.contentHash,
    content_salt: record.contentSalt,
  }));
  for (const list of jsonLists(await mapInChunks(rows, (row) => JSON.stringify(row)))) {
    await tx.query(sql`
      INSERT INTO activities (tenant_id, organization_id, position, id, document_id, feature_type,
        action_type, user_id, content, is_immutable, created_at, previous_hash, hash, content_hash,
        content_salt)
      SELECT ${tenantId}, organization_id, position, id, document_id, feature_type, action_type,
             user_id, content, is_immutable, created_at, previous_hash, hash, content_hash,
             content_salt
      FROM json_to_recordset(${list}::json) AS record(
        organization_id text, position bigint, id text, document_id text, feature_type text,
        action_type text, user_id text, content json, is_immutable boolean, created_at timestamptz,
        previous_hash text, hash text, content_hash text, content_salt text)`);
  }
}

async function moveEnds(tx: Transaction, tenantId: string, records: ActivityRecord[]) {
  const last = new Map(records.map((record) => [record.organizationId, record]));
  const ends = [...last.values()].map(({ organizationId, position, hash }) => ({
    organization_id: organizationId,
    length: position,
    hash,
  }));
  await tx.query(sql`
    UPDATE activity_chains SET length = chain_end.length, hash = chain_end.hash
    FROM jsonb_to_recordset(${JSON.stringify(ends)}::jsonb) AS chain_end(
      organization_id text, length bigint, hash text)
    WHERE activity_chains.tenant_id = ${tenantId}
      AND activity_chains.organization_id = chain_end.organization_id`);
}
