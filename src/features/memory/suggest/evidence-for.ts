import type { Queryable } from '../../../platform/database/database.ts';
import type { QueryEmbedding } from '../embeddings/embed-query.ts';
import type { Compared } from '../retrieve/candidates.ts';
import { compareWithNearest } from '../retrieve/compare-with-nearest.ts';
import { compareAll, readCompared } from '../retrieve/find-similar.ts';
import { queryTerms } from '../retrieve/query-terms.ts';
import { scopesOf } from '../retrieve/scopes.ts';
import { countWords } from './count-words.ts';
import type { Evidence } from './evidence.ts';
import type { Question } from './hypotheses.ts';
import { judge } from './judge.ts';
import { lastOfEachReviewer } from './last-of-each-reviewer.ts';
import { isKnown, ownFirst, selectEvidence } from './select-evidence.ts';

interface Asked {
  db: Queryable;
  tenantId: string;
  question: Question;
  /** The vector of the query, to find paraphrases as well. */
  embedding?: QueryEmbedding | undefined;
  /** The records of judgments that are taken as unknown. */
  without?: ReadonlySet<string>;
}

/** What the judgments of similar items say about an item, or undefined where none is similar. */
export async function evidenceFor({
  db,
  tenantId,
  question,
  embedding,
  without,
}: Asked): Promise<Evidence | undefined> {
  const { query, organizationId } = question;
  const terms = await queryTerms(db, tenantId, query, organizationId);
  const compared: Compared[][] = [];
  for (const scope of scopesOf(question)) {
    const all = await compareAll(db, { tenantId, terms, scope, embedding, decided: true });
    compared.push(all.filter(({ recordId }) => !without?.has(recordId)));
  }
  const length = terms.profile.weights.size;
  const blended = await compareWithNearest(db, tenantId, compared, length);
  if (!isKnown(blended)) return undefined;
  const read = await readCompared(db, tenantId, selectEvidence(blended));
  const found = ownFirst(lastOfEachReviewer(read), organizationId);
  const counts = await countWords(db, tenantId, [query, ...found.map((one) => one.query)]);
  return judge(question, found, counts);
}
