import type { Services } from '../api/context.ts';
import { router } from '../api/procedures.ts';
import type { JobHandler } from '../platform/jobs/job.ts';
import { apiKeysRouter, authTokensRouter } from './api-keys/operations.ts';
import { crdtRouter } from './crdt/operations.ts';
import { documentsRouter } from './documents/operations.ts';
import { eventsRouter } from './events/operations.ts';
import { foldersRouter } from './folders/operations.ts';
import { deleteFolderHandler } from './folders/run-delete-folder-job.ts';
import { organizationsRouter } from './organizations/operations.ts';
import { deleteOrganizationHandler } from './organizations/run-delete-organization-job.ts';
import { authRouter, permissionsRouter } from './permissions/operations.ts';
import { settingsRouters } from './settings/operations.ts';
import { userGroupsRouter } from './user-groups/operations.ts';
import { usersRouter } from './users/operations.ts';
import { workspacesRouter } from './workspaces/operations.ts';

/** The product, one feature a line. Dotted names, e.g. `users.add`, are what typed clients call. */
export const appRouter = router({
  workspaces: workspacesRouter,
  apiKeys: apiKeysRouter,
  authTokens: authTokensRouter,
  ...settingsRouters,
  auth: authRouter,
  permissions: permissionsRouter,
  organizations: organizationsRouter,
  folders: foldersRouter,
  documents: documentsRouter,
  users: usersRouter,
  userGroups: userGroupsRouter,
  crdt: crdtRouter,
  events: eventsRouter,
});

export type AppRouter = typeof appRouter;

/** Work that outlives a request, one job a line. */
export const jobHandlers: Array<JobHandler<Services>> = [
  deleteFolderHandler,
  deleteOrganizationHandler,
];
