/** The REST path of each operation, from the server's own document, read when it is first needed. */
let paths: Promise<Map<string, string>> | undefined;

interface OpenApi {
  paths: Record<string, { post?: { operationId: string } }>;
}

async function readPaths(): Promise<Map<string, string>> {
  const { paths: all } = (await (await fetch('/openapi.json')).json()) as OpenApi;
  return new Map(
    Object.entries(all).flatMap(([path, { post }]) => (post ? [[post.operationId, path]] : [])),
  );
}

/** The call as a shell would make it. The token stands as a variable, never as itself. */
export async function curlOf(apiKey: string, operation: string, input: unknown): Promise<string> {
  paths ??= readPaths();
  const path = (await paths).get(operation) ?? '';
  const body = JSON.stringify({ data: input }, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl -sS ${location.origin}${path} \\`,
    `  -H 'content-type: application/json' \\`,
    `  -H 'x-svc-api-key: ${apiKey}' -H "x-svc-auth-token: $AUTH_TOKEN" \\`,
    `  -d '${body}'`,
  ].join('\n');
}
