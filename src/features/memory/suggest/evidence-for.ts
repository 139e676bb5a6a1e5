import type { Queryable } from '../../../platform/database/database.ts';
import { findSimilar, type SimilarJudgment } from '../retrieve/find-similar.ts';
import { scopesOf } from '../retrieve/scopes.ts';
import { judge, type Verdict } from './judge.ts';
import type { Question } from './regimes.ts';

/**
 * Something is known about an item whose two nearest judgments have so much of its rare terms. Fewer
 * than two support no decision, and any two texts have a few terms in common.
 */
const KNOWN = 0.3;
/** How many judgments are weighed: more cost more than they add. */
const NEAREST = 40;

interface Asked {
  db: Queryable;
  tenantId: string;
  question: Question;
  /** The records of judgments that are taken as unknown. */
  without?: ReadonlySet<string>;
}

/** What the judgments of similar items say about an item, or undefined where none is similar. */
export async function evidenceFor(asked: Asked): Promise<Verdict | undefined> {
  const { db, tenantId, question, without } = asked;
  const { query } = question;
  const scopes = scopesOf(question);
  const found = await findSimilar(db, { tenantId, query, scopes, decided: true, without });
  if (!isKnown(found.judgments)) return undefined;
  const judgments = lastOfEachReviewer(found.judgments).slice(0, NEAREST);
  return judge(question, { ...found, judgments });
}

function isKnown([first, second]: SimilarJudgment[]): boolean {
  const nearness = (one: SimilarJudgment) => Math.sqrt(one.shared) * one.similarity;
  return (
    first !== undefined && second !== undefined && nearness(first) + nearness(second) >= 2 * KNOWN
  );
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
  const counted = new Set(last.values());
  return found.filter((judgment) => counted.has(judgment));
}

const itemOf = ({ recordId, reviewerId, organizationId, fingerprint }: SimilarJudgment): string =>
  reviewerId === null ? recordId : JSON.stringify([reviewerId, organizationId, fingerprint]);

/** Judgments of one call often have one time; their positions are in the order of the call. */
const isLater = (one: SimilarJudgment, other: SimilarJudgment): boolean =>
  one.createdMs > other.createdMs ||
  (one.createdMs === other.createdMs && BigInt(one.position) > BigInt(other.position));
