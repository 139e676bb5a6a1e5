import { z } from 'zod';
import { MAX_PARTS } from '../crdt/content/passages/anchored-passage.ts';

const counter = z.int().nonnegative();
export const relativePosition = z
  .object({ item: z.object({ client: counter, clock: counter }), assoc: z.int().optional() })
  .meta({
    id: 'RelativePosition',
    description: 'A position next to a character, as `Y.relativePositionToJSON` writes it.',
  });

const storedSuggestion = z
  .object({
    editorId: z.string(),
    status: z.string(),
    quote: z.string(),
    replacement: z.string(),
    /** A quote that spans several blocks has one piece for each block. */
    pieces: z
      .array(
        z.object({
          start: relativePosition,
          end: relativePosition,
          quote: z.string().min(1),
          before: z.string(),
          after: z.string(),
          replacement: z.string(),
        }),
      )
      .min(1)
      .max(MAX_PARTS),
  })
  // Readers see the quote and the replacement, but the pieces are applied. So the joined pieces must equal what
  // readers see, apart from line breaks.
  .refine(({ quote, replacement, pieces }) => {
    const joined = (texts: string[]) => texts.join('').replaceAll('\n', '');
    return (
      joined(pieces.map((piece) => piece.quote)) === joined([quote]) &&
      joined(pieces.map((piece) => piece.replacement)) === joined([replacement])
    );
  });
export type ApplicableSuggestion = z.infer<typeof storedSuggestion>;

/**
 * Returns the suggestion of an annotation without the app's own fields; undefined if it cannot be
 * applied. Callers of `commentannotations/add` may store any object as the suggestion, so it is checked.
 */
export const applicableSuggestion = (suggestion: unknown): ApplicableSuggestion | undefined =>
  storedSuggestion.safeParse(suggestion).data;
