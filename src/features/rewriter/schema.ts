import { z } from 'zod';
import { text } from '../../api/fields.ts';
import { chooseModel, MODEL_PREFIXES } from '../models/models.ts';

/** Providers refuse blank messages. */
const message = (max: number) => text(max).regex(/\S/, 'must not be empty');

export const AskAi = z.object({
  model: text(256)
    .regex(/^[\x21-\x7e]+$/, 'must consist of visible ASCII characters')
    .refine(
      (model) => chooseModel(model) !== undefined,
      `must begin with ${MODEL_PREFIXES}, and name a model`,
    )
    .meta({ description: `Begins with ${MODEL_PREFIXES}.` }),
  prompt: message(65_536).meta({ description: 'The instruction.' }),
  text: message(1_000_000).meta({ description: 'The text to which the instruction applies.' }),
});
export type AskAiInput = z.infer<typeof AskAi>;

export const StreamAnswer = AskAi.extend({
  lastEventId: z.string().max(64).optional().meta({
    description:
      'The id of the last item received. A client that reconnects sends it, and is told that its answer was interrupted.',
  }),
});
export type StreamAnswerInput = z.infer<typeof StreamAnswer>;

export const askAiAnswer = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), text: z.string() }),
  z.object({
    success: z.literal(false),
    error: z.string().meta({ description: 'A sentence that explains the failure.' }),
  }),
]);
export type AskAiAnswer = z.infer<typeof askAiAnswer>;

/** Null if the provider does not report it. */
const tokenCount = z.number().int().nonnegative().nullable();

/** The items of a stream: chunks of the answer, then its end. */
export const askAiItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('done'),
    inputTokens: tokenCount,
    outputTokens: tokenCount,
    durationMs: z.number().int().nonnegative(),
  }),
  z.object({ type: z.literal('error'), error: z.string() }),
]);
export type AskAiItem = z.infer<typeof askAiItem>;
