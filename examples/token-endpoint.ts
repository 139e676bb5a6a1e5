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
      giveToken(new Request(`http://localhost${request.url}`, { method: 'POST' })).then(
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

function giveToken(request: Request): Promise<Response> {
  const file = process.env.COLLABORATION_CREDENTIALS ?? '../../.data/quickstart.json';
  const client = createServerClient(JSON.parse(readFileSync(file, 'utf8')));
  const answer = tokenHandler(client, ({ url }) => {
    // Your server knows from its session who asks. Here, everybody is who they say.
    const userId = new URL(url).searchParams.get('user');
    const permissions = { resources: [{ type: 'organization' as const, id: 'demo' }] };
    return userId ? { userId, permissions } : undefined;
  });
  return answer(request);
}
