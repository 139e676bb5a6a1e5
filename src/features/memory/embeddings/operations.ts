import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { getMemoryConfig, updateMemoryConfig } from './memory-config.ts';
import { type MemoryConfig, memoryConfig, UpdateMemoryConfig } from './schema.ts';

const config: MemoryConfig = { embeddings: { isEnabled: true, provider: 'openai' } };

export const memoryConfigRouter = router({
  get: apiKeyOperation({
    path: '/v2/memory/config/get',
    summary: 'Get the memory configuration',
    description: 'Whether judgments are compared by meaning too, and with which provider.',
    message: 'Memory config retrieved successfully.',
    example: { request: {}, response: config },
  })
    .input(noInput)
    .output(memoryConfig)
    .query(({ ctx }) => getMemoryConfig(ctx)),

  update: apiKeyOperation({
    path: '/v2/memory/config/update',
    summary: 'Update the memory configuration',
    description:
      'With embeddings, judgments in other words are found as well, once their vectors have been made in the background. They need an API key of the provider in the workspace. Changes the fields that are given.',
    message: 'Memory config updated successfully.',
    errors: ['FAILED_PRECONDITION'],
    example: { request: config, response: config },
  })
    .input(UpdateMemoryConfig)
    .output(memoryConfig)
    .mutation(({ ctx, input }) => updateMemoryConfig(ctx, input)),
});
