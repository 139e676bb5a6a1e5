import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServerClient, tokenHandler } from 'collaboration-client/server';
import { verifyWebhook } from 'collaboration-client/webhooks';

const [folder = '', url = '', apiKey = '', authToken = '', secret = ''] = process.argv.slice(2);
const client = createServerClient({ url, apiKey, authToken });
const giveToken = tokenHandler(client, (request) => {
  const userId = new URL(request.url).searchParams.get('user');
  const resources = [{ type: 'organization' as const, id: 'acme' }];
  return userId === null ? null : { userId, permissions: { resources } };
});

const TYPES: Record<string, string> = { js: 'text/javascript', css: 'text/css', html: 'text/html' };

/** The app's own server: a page, its tokens, and a receiver of webhooks. */
const server = createServer(async (request, response) => {
  const address = new URL(request.url ?? '/', 'http://localhost');
  if (address.pathname === '/token') {
    const answer = await giveToken(new Request(address, { method: 'POST' }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    return response.end(await answer.text());
  }
  if (address.pathname === '/webhooks') {
    const body = await buffer(request);
    const event = await verifyWebhook(body, request.headers, secret);
    if (event.type === 'comment_annotation.add') console.log(event.data.annotationId);
    return response.writeHead(204).end();
  }
  const file = address.pathname === '/' ? '/index.html' : address.pathname;
  const content = await readFile(folder + file).catch(() => undefined);
  const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain';
  response.writeHead(content ? 200 : 404, { 'content-type': type }).end(content);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
