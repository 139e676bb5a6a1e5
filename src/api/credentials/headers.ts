import type { IncomingMessage } from 'node:http';

/** The headers of credentials (specification part 5), and those of administrators and users. */
export const HEADERS = {
  workspaceId: 'x-svc-workspace-id',
  workspaceAuthToken: 'x-svc-workspace-auth-token',
  apiKey: 'x-svc-api-key',
  authToken: 'x-svc-auth-token',
  adminToken: 'x-svc-admin-token',
  authorization: 'authorization',
} as const;

/** Returns a header. With `veltHeaders`, its name in Velt's hosted service is accepted, too. */
export function readHeader(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: string,
  { veltHeaders }: { veltHeaders: boolean },
): string | undefined {
  const veltName = name.replace(/^x-svc-/, 'x-velt-');
  const value = headers[name] ?? (veltHeaders ? headers[veltName] : undefined);
  return Array.isArray(value) ? value[0] : value;
}

/** Returns the token in an `Authorization` header of the form `Bearer <token>`. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
