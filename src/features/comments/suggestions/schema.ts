import { z } from 'zod';
import { id, text } from '../../../api/fields.ts';
import { user } from '../../access/users/schema.ts';
import { MAX_PARTS } from '../../crdt/content/passages/anchored-passage.ts';
import { passage } from '../../crdt/schema.ts';

/** The most suggestions in one call, each of which is searched in the whole text. */
const MAX_SUGGESTIONS = 100;
const atMost = `must have at most ${MAX_SUGGESTIONS} entries`;

const target = { organizationId: id, documentId: id, editorId: id };

const counter = z.int().nonnegative();
const relativePosition = z
  .object({ item: z.object({ client: counter, clock: counter }), assoc: z.int().optional() })
  .meta({
    id: 'RelativePosition',
    description: 'A position next to a character, as `Y.relativePositionToJSON` writes it.',
  });

const suggestionInput = z
  .object({
    annotationId: id.optional(),
    ...passage,
    position: z.object({ start: relativePosition, end: relativePosition }).optional().meta({
      description: 'The place of the quote. Absent: the quote must be in the text once.',
    }),
    from: user.optional().meta({
      description: 'The author. Required of API keys; with a user token it is that user.',
    }),
    comment: text(65_536).optional(),
  })
  .meta({ id: 'SuggestionInput' });

export const AddSuggestions = z.object({
  ...target,
  suggestions: z.array(suggestionInput).min(1, 'must not be empty').max(MAX_SUGGESTIONS, atMost),
});
export type AddSuggestionsInput = z.infer<typeof AddSuggestions>;

export const DecideSuggestions = z.object({
  ...target,
  annotationIds: z.array(id).min(1, 'must not be empty').max(MAX_SUGGESTIONS, atMost),
});
export type DecideSuggestionsInput = z.infer<typeof DecideSuggestions>;

const suggestionOutcome = z
  .object({
    success: z.boolean(),
    annotationId: z.string(),
    message: z.string(),
    status: z.literal('FAILED_PRECONDITION').optional(),
    details: z
      .object({
        present: z.string().optional().meta({ description: 'The text that is there now.' }),
        occurrences: z.number().optional(),
        matches: z.array(z.string()).optional().meta({
          description: 'Several matches of the quote, with the text around them.',
        }),
      })
      .optional(),
  })
  .meta({ id: 'SuggestionOutcome' });
export type SuggestionOutcome = z.infer<typeof suggestionOutcome>;

export const suggestionOutcomes = z
  .record(z.string(), suggestionOutcome)
  .meta({ id: 'SuggestionOutcomes' });

/**
 * A suggestion as its annotation holds it, in `suggestion`. Callers of `commentannotations/add` may
 * write other suggestions, which cannot be applied.
 */
export const storedSuggestion = z
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
export type StoredSuggestion = z.infer<typeof storedSuggestion>;
