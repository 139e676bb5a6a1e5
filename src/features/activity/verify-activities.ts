import type { KeyContext } from '../../api/context.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { Pace } from '../../platform/event-loop.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { type ActivityRecord, activityColumns, FIRST_HASH, isAsWritten } from './record.ts';
import type { Verification } from './schema.ts';

const BATCH = 1_000;

type Problem = NonNullable<Verification['problem']>;

interface Chain extends Pick<KeyContext, 'tenantId'> {
  db: Queryable;
  organizationId: string;
}

/** A verified record; of the beginning of a chain there is only the position and the hash. */
type Link = Pick<ActivityRecord, 'position' | 'hash'> &
  Partial<Pick<ActivityRecord, 'id' | 'previousHash'>>;

/** The end of a chain, when its records were read. */
interface ChainEnd {
  /** The API key that the hashes cover: of an imported chain, the one that wrote it. */
  hashedAs: string;
  length: number;
  /** The hash of the last record. */
  end: string;
}

/** A record, and the end of its chain. Without records there is one row with the end alone. */
type PartRow = (ActivityRecord | Record<keyof ActivityRecord, null>) & ChainEnd;

/**
 * Verifies that no record of an organization was changed, removed or inserted since it was written,
 * or finds the first that was. Records that are added meanwhile are verified as well. Erased records
 * keep their link in the chain and are counted, to compare with the receipts of erasures.
 */
export async function verifyActivities(
  ctx: Omit<Chain, 'organizationId'>,
  { organizationId }: { organizationId: string },
): Promise<Verification> {
  const chain = { db: ctx.db, tenantId: ctx.tenantId, organizationId };
  await requireOrganization(chain.db, chain.tenantId, organizationId);
  let last: Link = { position: 0, hash: FIRST_HASH };
  // The erased records among the verified ones, whose content can no longer be proven.
  let erased = 0;
  const pace = new Pace();
  const verified = () => ({ records: last.position, erased, hash: last.hash });
  let part: PartRow[];
  do {
    part = await readPart(chain, last.position);
    for (const row of part) {
      if (row.id === null) break;
      await pace.next();
      const problem = await findProblem(chain, row, last);
      if (problem) return { valid: false, ...verified(), problem };
      last = row;
      if (row.erasedAt !== null) erased += 1;
    }
  } while (part.length === BATCH);
  const [end] = part;
  const problem = end && findLostEnd(end, last);
  return problem ? { valid: false, ...verified(), problem } : { valid: true, ...verified() };
}

/** One statement reads the records and the end of the chain at the same moment. */
const readPart = ({ db, tenantId, organizationId }: Chain, after: number): Promise<PartRow[]> =>
  db.query<PartRow>(sql`
    WITH part AS (
      SELECT ${activityColumns} FROM activities
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND position > ${after} ORDER BY activities.position LIMIT ${BATCH}
    )
    SELECT part.*, COALESCE(chain.hashed_as, ${tenantId}) AS "hashedAs",
           COALESCE(chain.length, 0)::float8 AS length, COALESCE(chain.hash, ${FIRST_HASH}) AS "end"
    FROM (SELECT) AS one
    LEFT JOIN activity_chains chain
      ON chain.tenant_id = ${tenantId} AND chain.organization_id = ${organizationId}
    LEFT JOIN part ON TRUE
    ORDER BY part.position`);

const refOf = ({ position, id }: Link) => ({ position, ...(id !== undefined && { id }) });

/** The problem of a record that differs from what was written, or of the one before. */
async function findProblem(
  chain: Chain,
  record: ActivityRecord & ChainEnd,
  last: Link,
): Promise<Problem | undefined> {
  const place = refOf(record);
  const expected = last.position + 1;
  if (record.position > record.length) return { kind: 'inserted', ...place };
  if (record.position !== expected) return { kind: 'missing', position: expected };
  const isWhole = isAsWritten(record.hashedAs, record);
  if (isWhole && record.previousHash === last.hash) return undefined;
  // The number of all records decides whether one was changed, removed or inserted.
  const surplus = await surplusOf(chain);
  // The record follows the one before the last, so the last one was inserted.
  const isAfterInserted = isWhole && record.previousHash === last.previousHash;
  if (!isWhole || isAfterInserted) {
    const kind = surplus > 0 ? 'inserted' : 'changed';
    return { kind, ...(isAfterInserted ? refOf(last) : place) };
  }
  if (surplus > 0) return { kind: 'inserted', ...place };
  if (surplus < 0) return { kind: 'missing', position: expected };
  // The link is broken, so the previous record may be the wrong one.
  return { kind: 'changed', ...(last.id === undefined ? place : refOf(last)) };
}

/**
 * Missing newest records have no successor that reveals them, but the stored end of the chain does.
 */
function findLostEnd({ length, end }: ChainEnd, last: Link): Problem | undefined {
  if (length > last.position) return { kind: 'missing', position: last.position + 1 };
  return end === last.hash ? undefined : { kind: 'changed', ...refOf(last) };
}

/** Returns the number of records beyond those that were ever written. */
async function surplusOf({ db, tenantId, organizationId }: Chain): Promise<number> {
  const [counted] = await db.query<{ surplus: number }>(sql`
    SELECT (SELECT count(*) FROM activities
            WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId})::float8
         - COALESCE((SELECT length FROM activity_chains
            WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}), 0)::float8
           AS surplus`);
  return counted?.surplus ?? 0;
}
