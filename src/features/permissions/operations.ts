import { z } from 'zod';
import { id, idList } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { GenerateToken, generateToken } from './generate-token.ts';
import { getPermissions } from './get-permissions.ts';
import { userPermissions } from './schema.ts';

const GetPermissions = z.object({
  organizationId: id,
  userIds: idList(),
  folderIds: idList().default([]),
  documentIds: idList().default([]),
});

export const permissionsRouter = router({
  get: apiKeyOperation({
    path: '/v2/auth/permissions/get',
    summary: 'Get permissions',
    description: 'What users may do with an organization and some of its folders and documents.',
    message: 'User permissions retrieved successfully.',
    errors: ['NOT_FOUND'],
    example: {
      request: { organizationId: 'acme', userIds: ['ada'], documentIds: ['launch-plan'] },
      response: {
        ada: {
          documents: { 'launch-plan': { accessRole: 'editor', accessType: 'public' } },
          organization: { acme: { accessRole: 'editor', accessType: 'organizationPrivate' } },
        },
      },
    },
  })
    .input(GetPermissions)
    .output(z.record(z.string(), userPermissions))
    .query(({ ctx, input }) => getPermissions(ctx, input)),
});

export const authRouter = router({
  generateToken: apiKeyOperation({
    path: '/v2/auth/generate_token',
    summary: 'Generate a user token',
    description:
      'A token for frontends (`Authorization: Bearer …`) and editors. It names the user; what the user may do is looked up whenever it is used.',
    message: 'Token generated successfully.',
    example: {
      request: {
        userId: 'ada',
        userProperties: { name: 'Ada Lovelace', email: 'ada@example.com' },
        permissions: { resources: [{ type: 'organization', id: 'acme', accessRole: 'editor' }] },
      },
      response: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl' },
    },
  })
    .input(GenerateToken)
    .output(z.object({ token: z.string() }))
    .mutation(({ ctx, input }) => generateToken(ctx, input)),
});
