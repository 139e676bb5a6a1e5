import type { KeyContext } from '../../../api/context.ts';
import { presentJudgment } from '../judgments/judgment-row.ts';
import type { FoundJudgment, SearchJudgmentsInput } from '../judgments/schema.ts';
import { findSimilar } from './find-similar.ts';

/** Texts less similar than this have no more in common than any two texts. */
const MIN_SIMILARITY = 0.1;

/** Finds the judgments most similar to a text, in the narrowest scope that is named. */
export async function searchJudgments(
  { db, tenantId }: Pick<KeyContext, 'db' | 'tenantId'>,
  { limit, ...search }: SearchJudgmentsInput,
): Promise<FoundJudgment[]> {
  const { judgments } = await findSimilar(db, tenantId, {
    ...search,
    decided: false,
    narrow: true,
  });
  return judgments
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .slice(0, limit)
    .map((row) => ({
      ...presentJudgment(row),
      similarity: Math.round(row.similarity * 1000) / 1000,
    }));
}
