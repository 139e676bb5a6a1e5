import { z } from 'zod';

export const provider = z.enum(['openai', 'anthropic', 'gemini']).meta({ id: 'ModelProvider' });
export type ModelProvider = z.infer<typeof provider>;

export const providerKey = z
  .object({
    provider,
    customerApiKey: z
      .string()
      .max(1000)
      .regex(/^[\x21-\x7e]*$/, 'must consist of visible ASCII characters')
      .meta({ description: 'A secret, which is shown masked. An empty value removes the key.' }),
  })
  .meta({ id: 'ProviderKey' });
export type ProviderKeyInput = z.infer<typeof providerKey>;
