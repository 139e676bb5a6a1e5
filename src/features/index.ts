import { router } from '../api/procedures.ts';
import { apiKeysRouter, authTokensRouter } from './api-keys/operations.ts';
import { crdtRouter } from './crdt/operations.ts';
import { documentsRouter } from './documents/operations.ts';
import { eventsRouter } from './events/operations.ts';
import { foldersRouter } from './folders/operations.ts';
import { authRouter, permissionsRouter } from './permissions/operations.ts';
import { usersRouter } from './users/operations.ts';
import { workspacesRouter } from './workspaces/operations.ts';

/** The product, one feature a line. Dotted names, e.g. `users.add`, are what typed clients call. */
export const appRouter = router({
  workspaces: workspacesRouter,
  apiKeys: apiKeysRouter,
  authTokens: authTokensRouter,
  auth: authRouter,
  permissions: permissionsRouter,
  folders: foldersRouter,
  documents: documentsRouter,
  users: usersRouter,
  crdt: crdtRouter,
  events: eventsRouter,
});

export type AppRouter = typeof appRouter;
