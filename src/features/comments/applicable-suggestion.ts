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
    /** A part for each text of several blocks. */
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
  // The pieces are applied, and readers are shown the quote and the replacement.
  .refine(({ quote, replacement, pieces }) => {
    const whole = (texts: string[]) => texts.join('').replaceAll('\n', '');
    return (
      whole(pieces.map((piece) => piece.quote)) === whole([quote]) &&
      whole(pieces.map((piece) => piece.replacement)) === whole([replacement])
    );
  });
export type ApplicableSuggestion = z.infer<typeof storedSuggestion>;

/**
 * The suggestion of an annotation, without fields of the app's own; undefined for one that cannot be
 * applied, which callers of `commentannotations/add` may write.
 */
export const applicableSuggestion = (suggestion: unknown): ApplicableSuggestion | undefined =>
  storedSuggestion.safeParse(suggestion).data;
