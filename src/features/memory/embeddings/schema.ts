import { z } from 'zod';

const provider = z.enum(['openai', 'gemini']);
export type EmbeddingProvider = z.infer<typeof provider>;

const embeddings = z.object({
  isEnabled: z.boolean().meta({
    description:
      'Whether the text of judgments is sent to the provider, to find paraphrases as well.',
  }),
  provider: provider.meta({ description: "Called with the workspace's API key for the provider." }),
});

export const memoryConfig = z.object({ embeddings }).meta({ id: 'MemoryConfig' });
export type MemoryConfig = z.infer<typeof memoryConfig>;

export const UpdateMemoryConfig = z.object({
  embeddings: embeddings
    .partial()
    .refine((given) => Object.values(given).some((value) => value !== undefined), {
      message: 'must give at least one field of isEnabled, provider',
    }),
});
export type UpdateMemoryConfigInput = z.infer<typeof UpdateMemoryConfig>;
