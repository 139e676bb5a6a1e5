import type { Queryable } from '../../../platform/database/database.ts';
import { findSimilar, type SimilarJudgment } from '../retrieve/find-similar.ts';
import { scopesOf } from '../retrieve/scopes.ts';
import { judge, type Verdict } from './judge.ts';
import type { Question } from './regimes.ts';

/** Something is known about an item whose nearest judgment is so near. */
const KNOWN = 0.35;
/** How many judgments are weighed: more cost more than they add. */
const NEAREST = 40;

/** The judgments that do not count as evidence. */
export interface Unknown {
  /** The records of judgments that are taken as unknown. */
  without?: ReadonlySet<string>;
  /** Returns the judgments that the caller may know of; by default all of them. */
  knownOf?: KnownOf | undefined;
}

/** Leaves out the judgments that a caller may not know of. */
export type KnownOf = (found: SimilarJudgment[]) => Promise<SimilarJudgment[]>;

/** What the judgments of similar items say about an item, or undefined where none is similar. */
export async function evidenceFor(
  db: Queryable,
  tenantId: string,
  question: Question,
  { without, knownOf = async (found) => found }: Unknown = {},
): Promise<Verdict | undefined> {
  const scopes = scopesOf(question);
  const { query } = question;
  const found = await findSimilar(db, { tenantId, query, scopes, decided: true, without });
  if (found.nearness < KNOWN) return undefined;
  const known = await knownOf(found.judgments);
  if (known.length === 0) return undefined;
  return judge(question, { ...found, judgments: lastOfEachReviewer(known).slice(0, NEAREST) });
}

/**
 * Keeps only each reviewer's last judgment of an item, so that repeated approvals count once and a
 * changed mind replaces the former decision. Judgments with the same terms are of one item in one
 * organization. Those without a reviewer may be of different people, so all of them count.
 */
function lastOfEachReviewer(found: SimilarJudgment[]): SimilarJudgment[] {
  const last = new Map<string, SimilarJudgment>();
  for (const judgment of found) {
    const other = last.get(itemOf(judgment));
    if (!other || isLater(judgment, other)) last.set(itemOf(judgment), judgment);
  }
  return found.filter((judgment) => last.get(itemOf(judgment)) === judgment);
}

const itemOf = ({ recordId, reviewerId, organizationId, fingerprint }: SimilarJudgment): string =>
  reviewerId === null ? recordId : JSON.stringify([reviewerId, organizationId, fingerprint]);

/** Judgments of one call often have one time; their positions are in the order of the call. */
const isLater = (one: SimilarJudgment, other: SimilarJudgment): boolean =>
  one.createdMs > other.createdMs ||
  (one.createdMs === other.createdMs && BigInt(one.position) > BigInt(other.position));
