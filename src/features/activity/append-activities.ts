import { jsonLists } from '../../platform/chunks.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { type ActivityRecord, chainRecords, FIRST_HASH, type UnchainedRecord } from './record.ts';

export interface ActivityToAppend extends UnchainedRecord {
  tenantId: string;
}

type ChainKey = Pick<ActivityToAppend, 'tenantId' | 'organizationId'>;

interface ChainEnd extends ChainKey {
  /** The API key that the hashes cover, if it is not this tenant. */
  hashedAs: string | null;
  length: number;
  hash: string;
}

/**
 * Appends records to the chains of their organizations. Records whose ids are in the chain already,
 * and records of a deleted organization, are skipped. For any number of organizations, this costs one
 * round trip in addition to that of the commit.
 *
 * @returns the ids of the new records, which are written with the commit
 */
export async function appendActivities(
  tx: Transaction,
  activities: ActivityToAppend[],
): Promise<string[]> {
  const byChain = Map.groupBy(activities, keyOfChain);
  const chains = [...byChain.values()].flatMap(([first]) => first ?? []);
  const asked = sql`
    unnest(${chains.map(({ tenantId }) => tenantId)}::text[],
           ${chains.map(({ organizationId }) => organizationId)}::text[])
      AS asked(tenant_id, organization_id) USING (tenant_id, organization_id)`;
  // The known ids are read after the locks on the ends of chains, which let the writers of one
  // chain follow each other. Locking in the order of ids, and organizations before chains as in
  // their deletion, prevents deadlocks.
  const [, ends, known] = await pipeline([
    tx.query(sql`
      INSERT INTO activity_chains (tenant_id, organization_id, hash)
      SELECT tenant_id, organization_id, ${FIRST_HASH} FROM organizations JOIN ${asked}
      ORDER BY tenant_id, organization_id FOR KEY SHARE OF organizations
      ON CONFLICT DO NOTHING`),
    tx.query<ChainEnd>(sql`
      SELECT tenant_id AS "tenantId", organization_id AS "organizationId",
             hashed_as AS "hashedAs", length::float8 AS length, hash
      FROM activity_chains JOIN ${asked}
      ORDER BY tenant_id, organization_id FOR NO KEY UPDATE OF activity_chains`),
    tx.query<ChainKey & { id: string }>(sql`
      SELECT tenant_id AS "tenantId", organization_id AS "organizationId", id
      FROM unnest(${activities.map(({ tenantId }) => tenantId)}::text[],
                  ${activities.map(({ organizationId }) => organizationId)}::text[],
                  ${activities.map(({ id }) => id)}::text[]) AS asked(tenant_id, organization_id, id)
      JOIN activities USING (tenant_id, organization_id, id)`),
  ]);
  const knownKeys = new Set(known.map(keyOfRecord));
  const records: Array<ActivityToAppend & ActivityRecord> = [];
  const advanced: Array<Omit<ChainEnd, 'hashedAs'>> = [];
  for (const { hashedAs, ...end } of ends) {
    const own = byChain.get(keyOfChain(end)) ?? [];
    const unknown = own.filter((each) => !knownKeys.has(keyOfRecord(each)));
    const added = await chainRecords({ ...end, tenantId: hashedAs ?? end.tenantId }, unknown);
    records.push(...added);
    const last = added.at(-1);
    if (last) advanced.push({ ...end, length: last.position, hash: last.hash });
  }
  if (records.length === 0) return [];
  for (const list of jsonLists(records.map((record) => JSON.stringify(record)))) {
    tx.beforeCommit(sql`
      INSERT INTO activities (tenant_id, organization_id, position, id, document_id, feature_type,
        action_type, user_id, content, is_immutable, created_at, previous_hash, hash, content_hash,
        content_salt)
      SELECT * FROM json_to_recordset(${list}::json) AS record(
        "tenantId" text, "organizationId" text, position bigint, id text, "documentId" text,
        "featureType" text, "actionType" text, "userId" text, content json, "isImmutable" boolean,
        "createdAt" timestamptz, "previousHash" text, hash text, "contentHash" text,
        "contentSalt" text)`);
  }
  tx.beforeCommit(sql`
    UPDATE activity_chains SET length = advanced.length, hash = advanced.hash
    FROM jsonb_to_recordset(${JSON.stringify(advanced)}::jsonb) AS advanced(
      "tenantId" text, "organizationId" text, length bigint, hash text)
    WHERE tenant_id = "tenantId" AND organization_id = "organizationId"`);
  return records.map(({ id }) => id);
}

const keyOfChain = ({ tenantId, organizationId }: ChainKey): string =>
  JSON.stringify([tenantId, organizationId]);

const keyOfRecord = ({ tenantId, organizationId, id }: ChainKey & { id: string }): string =>
  JSON.stringify([tenantId, organizationId, id]);
