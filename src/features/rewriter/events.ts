import { z } from 'zod';
import type { EventTypes } from '../../platform/events/event-types.ts';

const tokens = z.number().nullable().meta({ description: 'Null where the provider does not say.' });

export const rewriterEventTypes: EventTypes = {
  'rewriter.usage': {
    summary: 'A model was called; the usage of the call.',
    data: z.object({
      model: z.string(),
      provider: z.string(),
      inputTokens: tokens,
      outputTokens: tokens,
      durationMs: z.number(),
      success: z.boolean(),
    }),
    example: {
      model: 'gpt-4o',
      provider: 'openai',
      inputTokens: 120,
      outputTokens: 48,
      durationMs: 910,
      success: true,
    },
  },
};
