import type { KeyContext, Services } from '../../api/context.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { Pace } from '../../platform/event-loop.ts';
import { requireReadableOrganization } from '../directory/organizations/organizations.ts';
import { type ActivityRecord, activityColumns, FIRST_HASH, isAsWritten } from './record.ts';
import type { Verification } from './schema.ts';

const BATCH_SIZE = 1_000;

type Problem = NonNullable<Verification['problem']>;

interface Chain extends Pick<KeyContext, 'tenantId'> {
  db: Queryable;
  organizationId: string;
}

/** The last verified record. Before the first record, there are only a position and a hash. */
type Link = Pick<ActivityRecord, 'position' | 'hash'> &
  Partial<Pick<ActivityRecord, 'id' | 'previousHash'>>;

/** The end of a chain, as it was stored when the records were read. */
interface StoredEnd {
  /** The API key in the hashes; for an imported chain, the key that wrote it. */
  hashedAs: string;
  length: number;
  /** The hash of the last record. */
  lastHash: string;
}

/** A record with the end of its chain. A page without records has one row with only the end. */
type PageRow = (ActivityRecord | Record<keyof ActivityRecord, null>) & StoredEnd;

export async function verifyActivities(
  { db, tenantId }: KeyContext,
  { organizationId }: { organizationId: string },
): Promise<Verification> {
  await requireReadableOrganization(db, tenantId, organizationId);
  return verifyChain({ db, tenantId, organizationId });
}

/**
 * Verifies that no record of an organization was changed, removed or inserted since it was written,
 * or finds the first that was. Records that are added in the meantime are verified as well. Erased records
 * keep their link in the chain. They are counted, so that callers can compare them with receipts of erasures.
 */
export async function verifyChain(chain: Chain): Promise<Verification> {
  let last: Link = { position: 0, hash: FIRST_HASH };
  // The number of verified records whose content can no longer be proven, because it was erased.
  let erased = 0;
  const pace = new Pace();
  const verified = () => ({ records: last.position, erased, hash: last.hash });
  let page: PageRow[];
  do {
    page = await readRecords(chain, last.position);
    for (const row of page) {
      if (row.id === null) break;
      await pace.next();
      const problem = await findProblem(chain, row, last);
      if (problem) return { valid: false, ...verified(), problem };
      last = row;
      if (row.erasedAt !== null) erased += 1;
    }
  } while (page.length === BATCH_SIZE);
  const [end] = page;
  const problem = end && findProblemAtEnd(end, last);
  return problem ? { valid: false, ...verified(), problem } : { valid: true, ...verified() };
}

/** Reads the next records and the end of the chain in one statement, so that they are of the same moment. */
const readRecords = ({ db, tenantId, organizationId }: Chain, after: number): Promise<PageRow[]> =>
  db.query<PageRow>(sql`
    WITH page AS (
      SELECT ${activityColumns} FROM activities
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND position > ${after} ORDER BY activities.position LIMIT ${BATCH_SIZE}
    )
    SELECT page.*, COALESCE(chain.hashed_as, ${tenantId}) AS "hashedAs",
           COALESCE(chain.length, 0)::float8 AS length, COALESCE(chain.hash, ${FIRST_HASH}) AS "lastHash"
    FROM (SELECT) AS always_one_row
    LEFT JOIN activity_chains chain
      ON chain.tenant_id = ${tenantId} AND chain.organization_id = ${organizationId}
    LEFT JOIN page ON TRUE
    ORDER BY page.position`);

const refOf = ({ position, id }: Link) => ({ position, ...(id !== undefined && { id }) });

/** Returns the problem with a record or with the one before it; undefined if both are as they were written. */
async function findProblem(
  chain: Chain,
  record: ActivityRecord & StoredEnd,
  last: Link,
): Promise<Problem | undefined> {
  const ref = refOf(record);
  const expected = last.position + 1;
  if (record.position > record.length) return { kind: 'inserted', ...ref };
  if (record.position !== expected) return { kind: 'missing', position: expected };
  const isUnchanged = isAsWritten(record.hashedAs, record);
  if (isUnchanged && record.previousHash === last.hash) return undefined;
  // If there are more records than were written, one was inserted; if fewer, one was removed.
  const surplus = await surplusOf(chain);
  const kind = surplus > 0 ? 'inserted' : 'changed';
  if (!isUnchanged) return { kind, ...ref };
  // The record links to the one before `last`, so `last` was changed or inserted.
  if (record.previousHash === last.previousHash) return { kind, ...refOf(last) };
  if (surplus > 0) return { kind: 'inserted', ...ref };
  if (surplus < 0) return { kind: 'missing', position: expected };
  // No record was inserted or removed, but the link is broken, so the previous record may have been changed.
  return { kind: 'changed', ...(last.id === undefined ? ref : refOf(last)) };
}

/** Finds out whether the newest records were removed or changed, which only the stored end of the chain shows. */
function findProblemAtEnd({ length, lastHash }: StoredEnd, last: Link): Problem | undefined {
  if (length > last.position) return { kind: 'missing', position: last.position + 1 };
  return lastHash === last.hash ? undefined : { kind: 'changed', ...refOf(last) };
}

/** Returns how many more records are stored than were ever written; negative if some are missing. */
async function surplusOf({ db, tenantId, organizationId }: Chain): Promise<number> {
  const [counted] = await db.query<{ surplus: number }>(sql`
    SELECT (SELECT count(*) FROM activities
            WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId})::float8
         - COALESCE((SELECT length FROM activity_chains
            WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}), 0)::float8
           AS surplus`);
  return counted?.surplus ?? 0;
}

/** How often an intact chain is verified. */
const INTERVAL_MS = 24 * 3_600_000;
const BROKEN_INTERVAL_MS = 3_600_000;
/** After this time, a pass begins no further chain, so that it leaves room for other work. */
const BUDGET_MS = 5_000;

/** Verifies the chains of all organizations in turn, and stores where they are broken. */
export async function verifyChains({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < BUDGET_MS) {
    const now = clock.now();
    // Several processes run this. The new `verified_at` keeps the others from taking the same chain.
    const [chain] = await db.query<Omit<Chain, 'db'>>(sql`
      UPDATE activity_chains SET verified_at = ${new Date(now)}
      WHERE (tenant_id, organization_id) = (
        SELECT tenant_id, organization_id FROM activity_chains /* all tenants, background */
        WHERE verified_at IS NULL OR verified_at < ${new Date(now - INTERVAL_MS)}
          OR (broken_at IS NOT NULL AND verified_at < ${new Date(now - BROKEN_INTERVAL_MS)})
        ORDER BY verified_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING tenant_id AS "tenantId", organization_id AS "organizationId"`);
    if (!chain) return;
    const { problem } = await verifyChain({ db, ...chain });
    const brokenAt = problem?.position ?? null;
    await db.query(sql`
      UPDATE activity_chains SET broken_at = ${brokenAt}
      WHERE tenant_id = ${chain.tenantId} AND organization_id = ${chain.organizationId}
        AND broken_at IS DISTINCT FROM ${brokenAt}::bigint`);
  }
}
