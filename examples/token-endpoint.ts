import { readFileSync } from 'node:fs';
import { createServerClient, tokenHandler } from 'collaboration-client/server';
import type { Connect, Plugin } from 'vite';

/**
 * Stands for your own server: it has the API key, and gives tokens to the people on its pages. The
 * credentials are those that the backend's first start has stored.
 */
export function tokenEndpoint(): Plugin {
  const serve = ({ middlewares }: { middlewares: Connect.Server }) => {
    middlewares.use('/api/token', (request, response) => {
      answerTokenRequest(new Request(`http://localhost${request.url}`, { method: 'POST' })).then(
        async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          response.end(await answer.text());
        },
        (error) => response.writeHead(500).end(String(error)),
      );
    });
  };
  return { name: 'token-endpoint', configureServer: serve, configurePreviewServer: serve };
}

function answerTokenRequest(request: Request): Promise<Response> {
  const file = process.env.COLLABORATION_CREDENTIALS ?? '../../.data/quickstart.json';
  const client = createServerClient(JSON.parse(readFileSync(file, 'utf8')));
  const handler = tokenHandler(client, ({ url }) => {
    // Your server takes the user from its session. Here, everybody is the user whom they name.
    const userId = new URL(url).searchParams.get('user');
    const permissions = { resources: [{ type: 'organization' as const, id: 'demo' }] };
    return userId ? { userId, permissions } : undefined;
  });
  return handler(request);
}
