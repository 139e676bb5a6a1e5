/** The headers of credentials (specification part 5), and those of administrators and users. */
export const HEADERS = {
  workspaceId: 'x-svc-workspace-id',
  workspaceAuthToken: 'x-svc-workspace-auth-token',
  apiKey: 'x-svc-api-key',
  authToken: 'x-svc-auth-token',
  adminToken: 'x-svc-admin-token',
  authorization: 'authorization',
} as const;
