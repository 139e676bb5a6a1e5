import { z } from 'zod';
import { queryText, scoped } from '../judgments/schema.ts';

/** The input of `memory/suggest` (specification 4.12). */
export const SuggestDecision = scoped({ query: queryText });
export type SuggestDecisionInput = z.infer<typeof SuggestDecision>;

/** A suggested decision as callers receive it (specification 2.14). */
const suggestion = z
  .object({
    recommendation: z.enum(['approve', 'reject']),
    confidence: z
      .number()
      .meta({ description: 'The probability that this is right: with 0.8, in 80 of 100 cases.' }),
    basedOn: z.number().int().meta({ description: 'The number of judgments that support this.' }),
    scope: z.enum(['document', 'organization', 'apiKey']),
    scopeLabel: z.string(),
    topReasons: z.array(z.string()).meta({ description: 'At most five, the most frequent first.' }),
    uniqueReviewers: z.number().int(),
    caveats: z.array(z.string()),
  })
  .meta({ id: 'Suggestion' });
export type Suggestion = z.infer<typeof suggestion>;

export const suggestions = z
  .object({
    primary: suggestion.nullable().meta({
      description: 'Null if fewer than two judgments of similar items support a decision.',
    }),
    conflict: suggestion.nullable().meta({
      description:
        'The opposite decision, if at least two judgments support it, and such decisions depend on the reviewer more than on any rule.',
    }),
  })
  .meta({ id: 'Suggestions' });
export type Suggestions = z.infer<typeof suggestions>;
