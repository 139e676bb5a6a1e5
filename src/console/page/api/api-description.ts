import { queryOptions, useQuery } from '@tanstack/react-query';

// The server's descriptions of its operations and event types.

const readJson = async <Document>(path: string): Promise<Document> => (await fetch(path)).json();

/** The names of all event types; an empty list until they are loaded. */
export function useEventTypes(): string[] {
  const { data } = useQuery({
    queryKey: ['event types'],
    queryFn: async () => {
      type AsyncApi = { channels: { webhooks: { messages: object } } };
      const { channels } = await readJson<AsyncApi>('/asyncapi.json');
      return Object.keys(channels.webhooks.messages);
    },
    staleTime: 'static',
  });
  return data ?? [];
}

/** The part of a JSON schema that the console reads. */
interface Schema {
  properties?: Record<string, Schema>;
}

export interface Operation {
  name: string;
  summary: string;
  path: string;
  /** The names of the credentials that the operation takes, such as `workspaceId`. */
  credentials: string[];
  /** The `data` of the example in its documentation. */
  example: unknown;
}

interface OpenApi {
  paths: Record<
    string,
    {
      post?: {
        operationId: string;
        summary: string;
        security?: Array<Record<string, unknown>>;
        requestBody?: { content: Record<string, { example?: { data?: unknown } }> };
      };
    }
  >;
  components: { schemas: Record<string, Schema> };
}

export const openApi = queryOptions({
  queryKey: ['operations'],
  queryFn: async () => {
    const { paths, components } = await readJson<OpenApi>('/openapi.json');
    const operations = Object.entries(paths).flatMap(([path, { post }]): Operation[] => {
      if (!post) return [];
      const { operationId: name, summary, security = [], requestBody } = post;
      const example = requestBody?.content['application/json']?.example?.data ?? {};
      return [{ name, summary, path, credentials: Object.keys(security[0] ?? {}), example }];
    });
    return { operations, schemas: components.schemas };
  },
  staleTime: 'static',
});

export interface Caller {
  apiKey: string;
  workspaceId: string;
}

/** The call as a shell command. Tokens appear as variables, never in plain text. */
export function curlOf(caller: Caller, { path, credentials }: Operation, input: unknown): string {
  const body = JSON.stringify({ data: input }, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl -sS ${location.origin}${path} \\`,
    `  -H 'content-type: application/json' \\`,
    `  ${credentialsOf(caller, credentials)} \\`,
    `  -d '${body}'`,
  ].join('\n');
}

function credentialsOf({ apiKey, workspaceId }: Caller, names: string[]): string {
  if (names.includes('adminToken')) return '-H "x-svc-admin-token: $ADMIN_TOKEN"';
  if (names.includes('workspaceId')) {
    return `-H 'x-svc-workspace-id: ${workspaceId}' -H "x-svc-workspace-auth-token: $WORKSPACE_AUTH_TOKEN"`;
  }
  return `-H 'x-svc-api-key: ${apiKey}' -H "x-svc-auth-token: $AUTH_TOKEN"`;
}

/** The call as TypeScript with the client package. */
export const clientCodeOf = (name: string, input: unknown): string =>
  [
    "import { createServerClient } from 'collaboration-client/server';",
    '',
    `const url = '${location.origin}';`,
    'const client = createServerClient({ url, apiKey, authToken });',
    '',
    `await client.${name}(${literalOf(input)});`,
  ].join('\n');

/** JSON without quotes around the property names that need none in code. */
const literalOf = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');
