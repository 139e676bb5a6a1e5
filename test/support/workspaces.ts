import { dataOf, type Headers } from './answers.ts';
import { createTenant, type TestServer } from './server.ts';

/** The credentials of a new workspace. */
export async function createWorkspace(
  server: Pick<TestServer, 'call' | 'adminHeaders'>,
): Promise<Headers> {
  const owner = { ownerEmail: 'ada@example.com' };
  const created = await server.call('/v2/workspace/create', owner, server.adminHeaders);
  const { id, authToken } = dataOf(created);
  return { 'x-svc-workspace-id': id, 'x-svc-workspace-auth-token': authToken };
}

/** An API key in its own workspace. */
export async function createWorkspaceKey(server: TestServer): Promise<Headers> {
  return createTenant({ ...server, workspaceHeaders: await createWorkspace(server) });
}
