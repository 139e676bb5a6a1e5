/** The call as TypeScript with the client package. */
export function clientCodeOf(operation: string, input: unknown): string {
  return [
    "import { createServerClient } from 'collaboration-client/server';",
    '',
    `const url = '${location.origin}';`,
    'const client = createServerClient({ url, apiKey, authToken });',
    '',
    `await client.${operation}(${literalOf(input)});`,
  ].join('\n');
}

/** JSON, with names as people write them. */
const literalOf = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');
