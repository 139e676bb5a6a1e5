import type { KeyContext } from '../../api/context.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { Pace } from '../../platform/event-loop.ts';
import { requireOrganization } from '../directory/organizations/organizations.ts';
import { type ActivityRecord, activityColumns, FIRST_HASH, isAsWritten } from './record.ts';
import type { Verification } from './schema.ts';

const BATCH = 1_000;

type Problem = NonNullable<Verification['problem']>;
type RecordRef = Pick<Problem, 'position' | 'id'>;

interface Chains extends Pick<KeyContext, 'tenantId'> {
  db: Queryable;
}

/** The part of a chain that was verified. */
interface Progress {
  position: number;
  hash: string;
  /** The erased records among the verified ones, whose content can no longer be proven. */
  erased: number;
  /** The last verified record, and the hash of the record before it. */
  last: ActivityRecord | undefined;
}

/** Records of the chain, and its end at the time of reading them. */
interface Part {
  /** The API key that the hashes cover: of an imported chain, the one that wrote it. */
  hashedAs: string;
  length: number;
  hash: string;
  records: ActivityRecord[];
}

/**
 * Verifies that no record of an organization was changed, removed or inserted since it was written,
 * or finds the first that was. Records that are added meanwhile are verified as well. Erased records
 * keep their link in the chain and are counted, to compare with the receipts of erasures.
 */
export async function verifyActivities(
  ctx: Chains,
  { organizationId }: { organizationId: string },
): Promise<Verification> {
  await requireOrganization(ctx.db, ctx.tenantId, organizationId);
  let progress: Progress = { position: 0, hash: FIRST_HASH, erased: 0, last: undefined };
  const pace = new Pace();
  for (;;) {
    const part = await readPart(ctx, organizationId, progress.position);
    for (const record of part.records) {
      await pace.next();
      const place = findBreak(part, progress, record);
      if (place) return broken(ctx, organizationId, progress, place);
      progress = {
        position: record.position,
        hash: record.hash,
        erased: progress.erased + (record.erasedAt === null ? 0 : 1),
        last: record,
      };
    }
    if (part.records.length === BATCH) continue;
    const place = findLostEnd(part, progress);
    if (place) return broken(ctx, organizationId, progress, place);
    const { position, hash, erased } = progress;
    return { valid: true, records: position, erased, hash };
  }
}

/** The length of the chain, and the hash of its last record. */
interface ChainEnd {
  hashedAs: string | null;
  length: number;
  end: string;
}

/** A chain without records is one row whose record is null. */
type PartRow = (ActivityRecord | Record<keyof ActivityRecord, null>) & ChainEnd;

/** One statement reads the records and the end of the chain at the same moment. */
async function readPart(ctx: Chains, organizationId: string, after: number): Promise<Part> {
  const rows = await ctx.db.query<PartRow>(sql`
    WITH chain AS (
      SELECT hashed_as AS "hashedAs", length::float8 AS length, hash AS "end" FROM activity_chains
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
    ), part AS (
      SELECT ${activityColumns} FROM activities
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
        AND position > ${after} ORDER BY activities.position LIMIT ${BATCH}
    )
    SELECT part.*, "hashedAs", COALESCE(length, 0) AS length, COALESCE("end", ${FIRST_HASH}) AS "end"
    FROM part FULL JOIN chain ON TRUE ORDER BY part.position`);
  const [first] = rows;
  return {
    hashedAs: first?.hashedAs ?? ctx.tenantId,
    length: first?.length ?? 0,
    hash: first?.end ?? FIRST_HASH,
    records: rows.filter((row): row is ActivityRecord & ChainEnd => row.id !== null),
  };
}

/** The first record that differs from what was written. */
interface Break {
  /** Undefined when the number of all records decides whether one was changed, removed or inserted. */
  kind?: Problem['kind'];
  place: RecordRef;
  /** For a broken link: the previous record, which may be the wrong one. */
  before?: RecordRef | undefined;
}

const positionOf = ({ position, id }: RecordRef): RecordRef => ({
  position,
  ...(id !== undefined && { id }),
});

function findBreak(
  part: Part,
  { position, hash, last }: Progress,
  record: ActivityRecord,
): Break | undefined {
  const place = positionOf(record);
  if (record.position > part.length) return { kind: 'inserted', place };
  if (record.position !== position + 1)
    return { kind: 'missing', place: { position: position + 1 } };
  if (!isAsWritten(part.hashedAs, record)) return { place };
  if (record.previousHash === hash) return undefined;
  // The record follows the one before the last, so the last one was inserted.
  if (last && record.previousHash === last.previousHash) return { place: positionOf(last) };
  return { place, before: last ? positionOf(last) : place };
}

/**
 * Missing newest records have no successor that reveals them, but the stored end of the chain does.
 */
function findLostEnd(part: Part, { position, hash, last }: Progress): Break | undefined {
  if (part.length > position) return { kind: 'missing', place: { position: position + 1 } };
  if (part.hash === hash) return undefined;
  return { kind: 'changed', place: last ? positionOf(last) : { position } };
}

async function broken(
  ctx: Chains,
  organizationId: string,
  { position, hash, erased }: Progress,
  found: Break,
): Promise<Verification> {
  const problem: Problem = found.kind
    ? { kind: found.kind, ...found.place }
    : judgeByCount(await surplusOf(ctx, organizationId), position, found);
  return { valid: false, records: position, erased, hash, problem };
}

function judgeByCount(surplus: number, position: number, { place, before }: Break): Problem {
  if (surplus > 0) return { kind: 'inserted', ...place };
  if (surplus < 0 && before) return { kind: 'missing', position: position + 1 };
  return { kind: 'changed', ...(before ?? place) };
}

/** Returns the number of records beyond those that were ever written. */
async function surplusOf(ctx: Chains, organizationId: string): Promise<number> {
  const [counted] = await ctx.db.query<{ surplus: number }>(sql`
    SELECT (SELECT count(*) FROM activities
            WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId})::float8
         - COALESCE((SELECT length FROM activity_chains
            WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}), 0)::float8
           AS surplus`);
  return counted?.surplus ?? 0;
}
