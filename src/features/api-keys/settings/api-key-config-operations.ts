import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { getApiKeyConfig, updateApiKeyConfig } from './api-key-config.ts';
import { apiKeyConfig, UpdateApiKeyConfig } from './schema.ts';

const response = {
  enablePrivateComments: true,
  requireAutoOrgUser: false,
  defaultDocumentAccessType: 'public',
  defaultAccessRole: 'editor',
  commentAccess: 'editors' as const,
  advancedQueries: true,
  allowUserRewrites: false,
  requireAttachmentApproval: false,
  aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-…a1b2' }],
};

export const apiKeyConfigRouter = router({
  get: apiKeyOperation({
    path: '/v2/workspace/apikeyconfig/get',
    summary: 'Get the configuration of the API key',
    description: 'The keys of model providers belong to the workspace, and are shown masked.',
    message: 'API key config retrieved successfully.',
    example: { request: {}, response },
  })
    .input(noInput)
    .output(apiKeyConfig)
    .query(({ ctx }) => getApiKeyConfig(ctx)),

  update: apiKeyOperation({
    path: '/v2/workspace/apikeyconfig/update',
    changesCredentials: true,
    summary: 'Update the configuration of the API key',
    description:
      'Changes the given fields; at least one is required. Keys of model providers apply to the whole workspace; an empty key removes the stored one, and providers that are not named keep theirs.',
    message: 'API key config updated successfully.',
    example: {
      request: {
        enablePrivateComments: true,
        aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-proj-0123456789a1b2' }],
      },
      response,
    },
  })
    .input(UpdateApiKeyConfig)
    .output(apiKeyConfig)
    .mutation(({ ctx, input }) => updateApiKeyConfig(ctx, input)),
});
