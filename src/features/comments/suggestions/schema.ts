import { z } from 'zod';
import { id, text } from '../../../api/fields.ts';
import { user } from '../../access/users/schema.ts';
import { passage } from '../../crdt/schema.ts';
import { relativePosition } from '../applicable-suggestion.ts';

/** The most suggestions in one call. For each of them, the whole text is searched. */
const MAX_SUGGESTIONS = 100;

const target = { organizationId: id, documentId: id, editorId: id };

const suggestionInput = z
  .object({
    annotationId: id.optional(),
    ...passage,
    position: z.object({ start: relativePosition, end: relativePosition }).optional().meta({
      description:
        'The position of the quote. If absent, the quote must be in the text exactly once.',
    }),
    from: user.optional().meta({
      description:
        'The author. Required with an API key. With a user token, it is the user of the token.',
    }),
    comment: text(65_536).optional(),
  })
  .meta({ id: 'SuggestionInput' });

export const AddSuggestions = z.object({
  ...target,
  suggestions: z.array(suggestionInput).min(1).max(MAX_SUGGESTIONS),
});
export type AddSuggestionsInput = z.infer<typeof AddSuggestions>;

export const DecideSuggestions = z.object({
  ...target,
  annotationIds: z.array(id).min(1).max(MAX_SUGGESTIONS),
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
