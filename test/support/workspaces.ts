import { createTenant, type TestServer } from './server.ts';

/** An API key in its own workspace. */
export async function createWorkspaceKey(server: TestServer): Promise<Record<string, string>> {
  const created = await server.call(
    '/v2/workspace/create',
    { ownerEmail: 'ada@example.com' },
    server.adminHeaders,
  );
  const { id, authToken } = created.body.result.data;
  const workspaceHeaders = { 'x-svc-workspace-id': id, 'x-svc-workspace-auth-token': authToken };
  return createTenant({ ...server, workspaceHeaders });
}
