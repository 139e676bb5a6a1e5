import { jsonLists } from '../../platform/chunks.ts';
import { type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import { type ActivityFacts, type ActivityRecord, chain, FIRST_HASH } from './record.ts';

/** The facts of a new record, with the tenant that it belongs to. */
export interface ActivityToAppend extends ActivityFacts {
  tenantId: string;
}

type NewRecord = ActivityRecord & ActivityToAppend;

type ChainKey = Pick<ActivityToAppend, 'tenantId' | 'organizationId'>;

interface ChainEnd extends ChainKey {
  /** The API key that the hashes cover, where it is another one. */
  hashedAs: string | null;
  length: number;
  hash: string;
}

/**
 * Appends records to the chains of their organizations, each once. The number of statements does not
 * depend on the number of tenants and organizations, and they cost one round trip besides that of
 * the commit. Records of a deleted organization are skipped.
 *
 * @returns the records, which are written with the commit
 */
export async function appendActivities(
  tx: Transaction,
  activities: ActivityToAppend[],
): Promise<NewRecord[]> {
  const byChain = Map.groupBy(activities, keyOfChain);
  const chains = [...byChain.values()].flatMap(([first]) => first ?? []);
  // These are sent together, so the known ids are read once the chains are locked.
  const [, ends, known] = await pipeline([
    tx.query(insertMissingChains(chains)),
    tx.query<ChainEnd>(lockEnds(chains)),
    tx.query<ChainKey & { id: string }>(knownIds(activities)),
  ]);
  const isKnown = new Set(known.map(keyOfRecord));
  const records: NewRecord[] = [];
  for (const end of ends) {
    const own = byChain.get(keyOfChain(end)) ?? [];
    const unknown = own.filter((each) => !isKnown.has(keyOfRecord(each)));
    records.push(...(await chain({ ...end, tenantId: end.hashedAs ?? end.tenantId }, unknown)));
  }
  if (records.length === 0) return [];
  const texts = records.map((record) => JSON.stringify(record));
  for (const list of jsonLists(texts)) tx.beforeCommit(insert(list));
  tx.beforeCommit(moveEnds(records));
  return records;
}

const keyOfChain = ({ tenantId, organizationId }: ChainKey): string =>
  JSON.stringify([tenantId, organizationId]);

const keyOfRecord = ({ tenantId, organizationId, id }: ChainKey & { id: string }): string =>
  JSON.stringify([tenantId, organizationId, id]);

const keysOf = (chains: ChainKey[]): Sql => sql`
  unnest(${chains.map(({ tenantId }) => tenantId)}::text[],
         ${chains.map(({ organizationId }) => organizationId)}::text[])`;

const insertMissingChains = (chains: ChainKey[]): Sql => sql`
  INSERT INTO activity_chains (tenant_id, organization_id, hash)
  SELECT tenant_id, organization_id, ${FIRST_HASH}
  FROM organizations JOIN ${keysOf(chains)} AS asked(tenant_id, organization_id)
    USING (tenant_id, organization_id)
  ORDER BY tenant_id, organization_id FOR KEY SHARE OF organizations
  ON CONFLICT DO NOTHING`;

/**
 * Locks the ends of chains, so that writers of one chain follow each other. The order of ids, and
 * organizations before chains as in their deletion, prevent deadlocks.
 */
const lockEnds = (chains: ChainKey[]): Sql => sql`
  SELECT tenant_id AS "tenantId", organization_id AS "organizationId", hashed_as AS "hashedAs",
         length::float8 AS length, hash
  FROM activity_chains JOIN ${keysOf(chains)} AS asked(tenant_id, organization_id)
    USING (tenant_id, organization_id)
  ORDER BY tenant_id, organization_id FOR NO KEY UPDATE OF activity_chains`;

const knownIds = (activities: ActivityToAppend[]): Sql => sql`
  SELECT tenant_id AS "tenantId", organization_id AS "organizationId", id
  FROM unnest(${activities.map(({ tenantId }) => tenantId)}::text[],
              ${activities.map(({ organizationId }) => organizationId)}::text[],
              ${activities.map(({ id }) => id)}::text[]) AS asked(tenant_id, organization_id, id)
  JOIN activities USING (tenant_id, organization_id, id)`;

const insert = (list: string): Sql => sql`
  INSERT INTO activities (tenant_id, organization_id, position, id, document_id, feature_type,
    action_type, user_id, content, is_immutable, created_at, previous_hash, hash, content_hash,
    content_salt)
  SELECT * FROM json_to_recordset(${list}::json) AS record(
    "tenantId" text, "organizationId" text, position bigint, id text, "documentId" text,
    "featureType" text, "actionType" text, "userId" text, content json, "isImmutable" boolean,
    "createdAt" timestamptz, "previousHash" text, hash text, "contentHash" text,
    "contentSalt" text)`;

function moveEnds(records: NewRecord[]): Sql {
  const last = new Map(records.map((record) => [keyOfChain(record), record]));
  const ends = [...last.values()].map(({ tenantId, organizationId, position, hash }) => ({
    tenant_id: tenantId,
    organization_id: organizationId,
    length: position,
    hash,
  }));
  return sql`
    UPDATE activity_chains SET length = chain_end.length, hash = chain_end.hash
    FROM jsonb_to_recordset(${JSON.stringify(ends)}::jsonb) AS chain_end(
      tenant_id text, organization_id text, length bigint, hash text)
    WHERE activity_chains.tenant_id = chain_end.tenant_id
      AND activity_chains.organization_id = chain_end.organization_id`;
}
