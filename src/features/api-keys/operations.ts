import { z } from 'zod';
import { router, workspaceOperation } from '../../api/procedures.ts';
import { getApiKeys, updateApiKey } from './api-keys.ts';
import { getAuthTokens, resetAuthToken } from './auth-tokens.ts';
import { createApiKey } from './create-api-key.ts';
import {
  apiKeyPage,
  authToken,
  CreateApiKey,
  GetApiKeys,
  OneApiKey,
  UpdateApiKey,
} from './schema.ts';

const apiKey = 'kJ3v9QmT2xLw8RbN5sYd';
const token = { token: 'mYz1…', name: '', domains: [] };

export const apiKeysRouter = router({
  create: workspaceOperation({
    path: '/v2/workspace/apikey/create',
    summary: 'Create an API key',
    description: 'A testing or production key, with the settings of its services.',
    message: 'API key created successfully.',
    errors: ['FAILED_PRECONDITION', 'RESOURCE_EXHAUSTED'],
    example: {
      request: {
        ownerEmail: 'ada@example.com',
        type: 'testing',
        apiKeyName: 'Staging',
        createAuthToken: true,
        allowedDomains: ['https://app.example.com'],
      },
      response: { apiKey },
    },
  })
    .input(CreateApiKey)
    .output(z.object({ apiKey: z.string() }))
    .mutation(({ ctx, input }) => createApiKey(ctx, input)),

  get: workspaceOperation({
    path: '/v2/workspace/apikeys/get',
    summary: 'Get API keys',
    description: 'The keys of the workspace, a page at a time.',
    message: 'API key(s) retrieved successfully.',
    envelope: 'page',
    example: {
      request: { pageSize: 10 },
      response: [{ id: apiKey, apiKeyName: 'Staging', type: 'testing' }],
    },
  })
    .input(GetApiKeys)
    .output(apiKeyPage)
    .query(({ ctx, input }) => getApiKeys(ctx, input)),

  update: workspaceOperation({
    path: '/v2/workspace/apikey/update',
    changesCredentials: true,
    summary: 'Update an API key',
    description:
      'Renames or disables a key. Requests with a disabled key, or with a token of one of its users, fail with PERMISSION_DENIED and the reason API_KEY_DISABLED, and open connections are closed within a second. Pending deliveries are still sent. When the key is enabled again, the same tokens work.',
    message: 'API key updated successfully.',
    errors: ['NOT_FOUND'],
    example: { request: { apiKey, apiKeyName: 'Production' }, response: null },
  })
    .input(UpdateApiKey)
    .output(z.null())
    .mutation(({ ctx, input }) => updateApiKey(ctx, input)),
});

export const authTokensRouter = router({
  get: workspaceOperation({
    path: '/v2/workspace/authtokens/get',
    summary: 'Get the auth tokens of an API key',
    description: 'The valid auth tokens of the key.',
    message: 'Auth token(s) retrieved successfully.',
    givesSecrets: true,
    errors: ['NOT_FOUND'],
    example: { request: { apiKey }, response: { apiKey, authTokens: [token] } },
  })
    .input(OneApiKey)
    .output(z.object({ apiKey: z.string(), authTokens: z.array(authToken) }))
    .query(({ ctx, input }) => getAuthTokens(ctx, input.apiKey)),

  reset: workspaceOperation({
    path: '/v2/workspace/authtoken/reset',
    changesCredentials: true,
    summary: 'Reset the auth token of an API key',
    description:
      'Creates a new auth token, and immediately revokes the old ones and all user tokens of the key. Connections that were opened with them are closed within a second.',
    message: 'Auth token reset successfully.',
    errors: ['NOT_FOUND'],
    example: { request: { apiKey }, response: { apiKey, newAuthToken: token } },
  })
    .input(OneApiKey)
    .output(z.object({ apiKey: z.string(), newAuthToken: authToken }))
    .mutation(({ ctx, input }) => resetAuthToken(ctx, input.apiKey)),
});
