import { noInput } from '../../api/fields.ts';
import { adminOperation, router, workspaceOperation } from '../../api/procedures.ts';
import {
  CreateWorkspace,
  createdWorkspace,
  newWorkspaceToken,
  presentedWorkspace,
  UpdateWorkspace,
} from './schema.ts';
import {
  createWorkspace,
  getWorkspace,
  resetWorkspaceToken,
  updateWorkspace,
} from './workspaces.ts';

const example = {
  id: '8sKzR7Wd4fTq8bV1nXcL',
  name: 'Acme',
  owner: { email: 'ada@example.com', name: 'Ada Lovelace' },
  apiKeyList: {
    kJ3v9QmT2xLw8RbN5sYd: { id: 'kJ3v9QmT2xLw8RbN5sYd', apiKeyName: 'Testing', type: 'testing' },
  },
};

export const workspacesRouter = router({
  create: adminOperation({
    path: '/v2/workspace/create',
    summary: 'Create a workspace',
    description: 'Creates a workspace and one testing key in it, with an auth token.',
    message: 'Workspace created successfully.',
    example: {
      request: { ownerEmail: 'ada@example.com', name: 'Ada Lovelace', workspaceName: 'Acme' },
      response: { ...example, authToken: 'b0Xq…' },
    },
  })
    .input(CreateWorkspace)
    .output(createdWorkspace)
    .mutation(async ({ ctx, input }) => (await createWorkspace(ctx, input)).created),

  get: workspaceOperation({
    path: '/v2/workspace/get',
    summary: 'Get the workspace',
    description:
      'The workspace that the credentials belong to, with its owner and a summary of its API keys.',
    message: 'Workspace retrieved successfully.',
    example: { request: {}, response: example },
  })
    .input(noInput)
    .output(presentedWorkspace)
    .query(({ ctx }) => getWorkspace(ctx)),

  resetToken: workspaceOperation({
    path: '/v2/workspace/token/reset',
    changesCredentials: true,
    summary: 'Reset the workspace auth token',
    description:
      'Creates a new auth token for the workspace itself, and immediately revokes the old one. The tokens of its API keys stay valid; `authtoken/reset` resets those of one key.',
    message: 'Workspace auth token reset successfully.',
    example: { request: {}, response: { id: example.id, authToken: 'b0Xq…' } },
  })
    .input(noInput)
    .output(newWorkspaceToken)
    .mutation(({ ctx }) => resetWorkspaceToken(ctx)),

  update: adminOperation({
    path: '/v2/workspace/update',
    summary: 'Update a workspace',
    description:
      "Changes the workspace's plan, whether it may create production keys itself, and how many.",
    message: 'Workspace updated successfully.',
    errors: ['NOT_FOUND'],
    example: {
      request: { workspaceId: '8sKzR7Wd4fTq8bV1nXcL', plan: 'paid', selfServeProductionKeys: true },
      response: example,
    },
  })
    .input(UpdateWorkspace)
    .output(presentedWorkspace)
    .mutation(({ ctx, input }) => updateWorkspace(ctx, input)),
});
