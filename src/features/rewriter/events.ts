import { z } from 'zod';
import type { EventTypes } from '../../platform/events/event-types.ts';

const tokens = z
  .number()
  .nullable()
  .meta({ description: 'Null if the provider did not report it.' });

export const rewriterEventTypes: EventTypes = {
  'rewriter.usage': {
    summary: 'A model was called. The data is the usage of the call.',
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
