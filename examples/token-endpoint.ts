import { readFileSync } from 'node:fs';
import { createServerClient, tokenHandler } from 'collaboration-client/server';
import type { Connect, Plugin } from 'vite';

/**
 * Stands in for your own server, which has the API key, and gives tokens to the people on its pages. The
 * credentials are read from the file that the first start of the backend wrote.
 */
export function tokenEndpoint(): Plugin {
  const serve = ({ middlewares }: { middlewares: Connect.Server }) => {
    middlewares.use('/api/token', (request, response) => {
      handleTokenRequest(new Request(`http://localhost${request.url}`, { method: 'POST' })).then(
        async (tokenResponse) => {
          response.writeHead(tokenResponse.status, Object.fromEntries(tokenResponse.headers));
          response.end(await tokenResponse.text());
        },
        (error) => response.writeHead(500).end(String(error)),
      );
    });
  };
  return { name: 'token-endpoint', configureServer: serve, configurePreviewServer: serve };
}

function handleTokenRequest(request: Request): Promise<Response> {
  const file = process.env.COLLABORATION_CREDENTIALS ?? '../../.data/quickstart.json';
  const client = createServerClient(JSON.parse(readFileSync(file, 'utf8')));
  const handler = tokenHandler(client, ({ url }) => {
    // On your server, take the user from the session. This example trusts the name in the URL.
    const userId = new URL(url).searchParams.get('user');
    const permissions = { resources: [{ type: 'organization' as const, id: 'demo' }] };
    return userId ? { userId, permissions } : undefined;
  });
  return handler(request);
}
