interface Operation {
  operationId: string;
  security: Array<Record<string, unknown>>;
}

interface OpenApi {
  paths: Record<string, { post?: Operation }>;
}

/** The operations by their names, from the server's own document, read when first needed. */
let operations: Promise<Map<string, Operation & { path: string }>> | undefined;

async function readOperations() {
  const { paths } = (await (await fetch('/openapi.json')).json()) as OpenApi;
  const all = Object.entries(paths).flatMap(([path, { post }]) =>
    post ? [{ ...post, path }] : [],
  );
  return new Map(all.map((each) => [each.operationId, each]));
}

/** Whom a call is made for. */
export interface Caller {
  apiKey: string;
  workspaceId: string;
}

/** The call as a shell would make it. Tokens stand as variables, never as themselves. */
export async function curlOf(caller: Caller, operation: string, input: unknown): Promise<string> {
  operations ??= readOperations();
  const { path = '', security = [] } = (await operations).get(operation) ?? {};
  const body = JSON.stringify({ data: input }, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl -sS ${location.origin}${path} \\`,
    `  -H 'content-type: application/json' \\`,
    `  ${credentialsOf(caller, Object.keys(security[0] ?? {}))} \\`,
    `  -d '${body}'`,
  ].join('\n');
}

function credentialsOf({ apiKey, workspaceId }: Caller, schemes: string[]): string {
  if (schemes.includes('adminToken')) return '-H "x-svc-admin-token: $ADMIN_TOKEN"';
  if (schemes.includes('workspaceId')) {
    return `-H 'x-svc-workspace-id: ${workspaceId}' -H "x-svc-workspace-auth-token: $WORKSPACE_AUTH_TOKEN"`;
  }
  return `-H 'x-svc-api-key: ${apiKey}' -H "x-svc-auth-token: $AUTH_TOKEN"`;
}
