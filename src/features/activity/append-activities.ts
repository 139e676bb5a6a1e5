import { jsonLists } from '../../platform/chunks.ts';
import { sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { type ActivityRecord, chainRecords, FIRST_HASH, type UnchainedRecord } from './record.ts';

export interface ActivityToAppend extends UnchainedRecord {
  tenantId: string;
}

type ChainKey = Pick<ActivityToAppend, 'tenantId' | 'organizationId'>;
type RecordKey = Pick<ActivityToAppend, 'tenantId' | 'organizationId' | 'id'>;

interface ChainEnd extends ChainKey {
  /** The API key whose id is part of the hashes, if the chain was imported from another API key. */
  hashedAs: string | null;
  length: number;
  hash: string;
}

/**
 * Appends records to the chains of their organizations. Records whose ids are already in the chain, and
 * records of a deleted organization, are skipped. For any number of organizations, this costs one round
 * trip in addition to that of the commit.
 *
 * @returns the ids of the new records, which are written with the commit
 */
export async function appendActivities(
  tx: Transaction,
  activities: ActivityToAppend[],
): Promise<string[]> {
  const byChain = Map.groupBy(activities, keyOfChain);
  const chains = [...byChain.values()].flatMap(([first]) => first ?? []);
  const [ends, known] = await lockChains(tx, chains, activities);
  const knownKeys = new Set(known.map(keyOfRecord));
  const records: Array<ActivityToAppend & ActivityRecord> = [];
  const newEnds: Array<Omit<ChainEnd, 'hashedAs'>> = [];
  for (const { hashedAs, ...end } of ends) {
    const ofChain = byChain.get(keyOfChain(end)) ?? [];
    const missing = ofChain.filter((each) => !knownKeys.has(keyOfRecord(each)));
    const added = await chainRecords({ ...end, tenantId: hashedAs ?? end.tenantId }, missing);
    records.push(...added);
    const last = added.at(-1);
    if (last) newEnds.push({ ...end, length: last.position, hash: last.hash });
  }
  if (records.length > 0) await queueInserts(tx, records, newEnds);
  return records.map(({ id }) => id);
}

/**
 * Creates chains that are missing, and locks the ends of all these chains, so that each chain has one
 * writer at a time. Then reads which of the records the chains already contain. To prevent deadlocks, it
 * locks in the order of ids, and organizations before chains, like a deletion.
 */
async function lockChains(tx: Transaction, chains: ChainKey[], records: RecordKey[]) {
  // The statements join this relation with the chains, so that they read no other rows.
  const requested = sql`
    unnest(${chains.map(({ tenantId }) => tenantId)}::text[],
           ${chains.map(({ organizationId }) => organizationId)}::text[])
      AS requested(tenant_id, organization_id) USING (tenant_id, organization_id)`;
  const [, ends, known] = await pipeline([
    tx.query(sql`
      INSERT INTO activity_chains (tenant_id, organization_id, hash)
      SELECT tenant_id, organization_id, ${FIRST_HASH} FROM organizations JOIN ${requested}
      ORDER BY tenant_id, organization_id FOR KEY SHARE OF organizations
      ON CONFLICT DO NOTHING`),
    tx.query<ChainEnd>(sql`
      SELECT tenant_id AS "tenantId", organization_id AS "organizationId",
             hashed_as AS "hashedAs", length::float8 AS length, hash
      FROM activity_chains JOIN ${requested}
      ORDER BY tenant_id, organization_id FOR NO KEY UPDATE OF activity_chains`),
    tx.query<RecordKey>(sql`
      SELECT tenant_id AS "tenantId", organization_id AS "organizationId", id
      FROM unnest(${records.map(({ tenantId }) => tenantId)}::text[],
                  ${records.map(({ organizationId }) => organizationId)}::text[],
                  ${records.map(({ id }) => id)}::text[]) AS requested(tenant_id, organization_id, id)
      JOIN activities USING (tenant_id, organization_id, id)`),
  ]);
  return [ends, known] as const;
}

/** Queues statements for the end of the transaction, which write the records and the new ends of their chains. */
async function queueInserts(
  tx: Transaction,
  records: Array<ActivityToAppend & ActivityRecord>,
  newEnds: Array<Omit<ChainEnd, 'hashedAs'>>,
): Promise<void> {
  for await (const list of jsonLists(records.map((record) => JSON.stringify(record)))) {
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
    FROM jsonb_to_recordset(${JSON.stringify(newEnds)}::jsonb) AS advanced(
      "tenantId" text, "organizationId" text, length bigint, hash text)
    WHERE tenant_id = "tenantId" AND organization_id = "organizationId"`);
}

const keyOfChain = ({ tenantId, organizationId }: ChainKey): string =>
  JSON.stringify([tenantId, organizationId]);

const keyOfRecord = ({ tenantId, organizationId, id }: RecordKey): string =>
  JSON.stringify([tenantId, organizationId, id]);
