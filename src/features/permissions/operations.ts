import { z } from 'zod';
import { batch, id, idList, noOutput, outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { addPermissions, removePermissions } from './change-permissions.ts';
import { explainPermissions } from './explain-permissions.ts';
import { ExplainPermissions, explanation } from './explain-schema.ts';
import { getPermissions } from './get-permissions.ts';
import { ChangePermissions, userPermissions } from './schema.ts';
import {
  GenerateToken,
  generateStreamTicket,
  generateToken,
  RevokeTokens,
  revokeTokens,
} from './tokens.ts';

/** The most entries of a response, one for each user and resource. A larger response would block other requests. */
const MAX_ENTRIES = 100_000;

const GetPermissions = z
  .object({
    organizationId: id,
    userIds: batch(id),
    folderIds: idList().default([]),
    documentIds: idList().default([]),
  })
  .refine(
    ({ userIds, folderIds, documentIds }) =>
      userIds.length * (folderIds.length + documentIds.length) <= MAX_ENTRIES,
    {
      path: ['userIds'],
      message: `the number of users times resources must be at most ${MAX_ENTRIES}`,
    },
  );

const expiryOf = (credential: string) =>
  z
    .number()
    .int()
    .meta({ description: `The expiry of the ${credential}, in Unix seconds.` });

const changeExample = {
  user: { userId: 'ada' },
  permissions: {
    resources: [
      { type: 'document', id: 'launch-plan', organizationId: 'acme', accessRole: 'viewer' },
    ],
  },
};

export const permissionsRouter = router({
  get: apiKeyOperation({
    path: '/v2/auth/permissions/get',
    summary: 'Get permissions',
    description:
      'The permissions of users on an organization and some of its folders and documents. With a user token, only those of its user.',
    message: 'User permissions retrieved successfully.',
    userToken: true,
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

  add: apiKeyOperation({
    path: '/v2/auth/permissions/add',
    summary: 'Add permissions',
    description:
      'Grants a user roles on organizations, folders and documents, permanently or for a time. An earlier grant on a resource is replaced. An unknown user is created.',
    message: 'Permissions added successfully.',
    example: { request: changeExample, response: undefined },
  })
    .input(ChangePermissions)
    .output(noOutput)
    .mutation(({ ctx, input }) => addPermissions(ctx, input)),

  remove: apiKeyOperation({
    path: '/v2/auth/permissions/remove',
    summary: 'Remove permissions',
    description:
      'Removes all roles of a user on the given resources. A missing role is not an error.',
    message: 'Permissions removed successfully.',
    example: { request: changeExample, response: undefined },
  })
    .input(ChangePermissions)
    .output(noOutput)
    .mutation(({ ctx, input }) => removePermissions(ctx, input)),

  explain: apiKeyOperation({
    path: '/v2/auth/permissions/explain',
    summary: 'Explain permissions',
    description:
      'The access of a user to an organization, or to one of its documents or folders, and each step of the decision.',
    message: 'User permissions explained successfully.',
    example: {
      request: { organizationId: 'acme', userId: 'ada', documentId: 'launch-plan' },
      response: {
        organizationId: 'acme',
        documentId: 'launch-plan',
        userId: 'ada',
        decision: { accessRole: 'viewer', accessType: 'public' },
        steps: [
          {
            step: 'accessType',
            accessType: 'public',
            resource: { type: 'document', id: 'launch-plan' },
            message: 'The document itself is public.',
          },
          {
            step: 'grant',
            resource: { type: 'document', id: 'launch-plan' },
            outcome: 'absent',
            message: 'The document launch-plan: the user has no role here.',
          },
          {
            step: 'grant',
            resource: { type: 'organization', id: 'acme' },
            outcome: 'expired',
            accessRole: 'editor',
            expiresAt: 1_767_225_600,
            message: 'The organization acme: the role that the user had here has expired.',
          },
          {
            step: 'noGrant',
            accessType: 'public',
            message: 'Everyone can view it without a role.',
          },
        ],
      },
    },
  })
    .input(ExplainPermissions)
    .output(explanation)
    .query(({ ctx, input }) => explainPermissions(ctx, input)),
});

export const authRouter = router({
  generateToken: apiKeyOperation({
    path: '/v2/auth/generate_token',
    summary: 'Generate a user token',
    description:
      'A token for frontends (`Authorization: Bearer …`) and editors. It names the user; permissions are looked up for each use.',
    message: 'Token generated successfully.',
    givesSecrets: true,
    example: {
      request: {
        userId: 'ada',
        userProperties: { name: 'Ada Lovelace', email: 'ada@example.com' },
        permissions: { resources: [{ type: 'organization', id: 'acme', accessRole: 'editor' }] },
      },
      response: {
        token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl',
        expiresAt: 1_800_000_000,
      },
    },
  })
    .input(GenerateToken)
    .output(z.object({ token: z.string(), expiresAt: expiryOf('token') }))
    .mutation(({ ctx, input }) => generateToken(ctx, input)),

  revokeTokens: apiKeyOperation({
    path: '/v2/auth/revoke_tokens',
    changesCredentials: true,
    summary: 'Revoke the tokens of users',
    description:
      'Immediately revokes all tokens of up to 30 users. Connections and subscriptions that were opened with them are closed within a second. The users keep their roles, and `auth/generate_token` issues new tokens for them.',
    message: 'Tokens revoked successfully.',
    example: {
      request: { userIds: ['ada'] },
      response: { ada: { success: true, id: 'ada', message: 'Tokens revoked.' } },
    },
  })
    .input(RevokeTokens)
    .output(outcomes)
    .mutation(({ ctx, input }) => revokeTokens(ctx, input)),

  generateStreamTicket: apiKeyOperation({
    path: '/v2/auth/generate_stream_ticket',
    summary: 'Generate a stream ticket',
    description:
      'A ticket with which an EventSource that cannot send headers opens one subscription, within a minute: `GET /trpc/comments.changes?input=…&ticket=…`. It replaces the user token of the call, and the subscription ends with that token.',
    message: 'Stream ticket generated successfully.',
    userToken: 'only',
    errors: ['FAILED_PRECONDITION'],
    example: {
      request: {},
      response: { ticket: 'v1.0f3b7c2a.c2VhbGVk', expiresAt: 1_800_000_000 },
    },
  })
    .input(z.object({}))
    .output(z.object({ ticket: z.string(), expiresAt: expiryOf('ticket') }))
    .mutation(({ ctx }) => generateStreamTicket(ctx)),
});
