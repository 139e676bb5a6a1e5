import { z } from 'zod';
import { email, id, name } from '../../api/fields.ts';
import { keySummary } from '../api-keys/schema.ts';

export const CreateWorkspace = z.object({
  ownerEmail: email,
  name: name.optional().meta({ description: "The owner's name." }),
  workspaceName: name.optional(),
});
export type CreateWorkspaceInput = z.infer<typeof CreateWorkspace>;

export const UpdateWorkspace = z.object({
  workspaceId: id,
  plan: z.enum(['free', 'paid']).optional(),
  selfServeProductionKeys: z.boolean().optional(),
  maxProductionKeys: z.number().int().min(0).max(1_000_000).optional(),
});
export type UpdateWorkspaceInput = z.infer<typeof UpdateWorkspace>;

export const presentedWorkspace = z
  .object({
    id: z.string(),
    name: z.string(),
    owner: z.object({ email: z.string(), name: z.string() }),
    apiKeyList: z.record(z.string(), keySummary),
  })
  .meta({ id: 'Workspace' });
export type PresentedWorkspace = z.infer<typeof presentedWorkspace>;

export const newWorkspaceToken = z.object({
  id: z.string(),
  authToken: z.string().meta({ description: 'The new workspace auth token; shown only here.' }),
});

export const createdWorkspace = presentedWorkspace.extend({
  authToken: z.string().meta({ description: 'The workspace auth token; shown only here.' }),
});
