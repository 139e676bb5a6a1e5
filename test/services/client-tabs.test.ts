import { createServer } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { createServerClient } from '../../src/client/server.ts';
import { startChromium } from '../support/chromium.ts';
import { listen } from '../support/listen.ts';
import { startTestServer } from '../support/server.ts';

const ENTRY = path.join(import.meta.dirname, '../../src/client/index.ts');
const MAX_COMPRESSED_BYTES = 16_000;
const place = { organizationId: 'acme', documentId: 'plan' };

/** A page that follows a document and its user's inbox, and shows what arrives. */
const PAGE = `<!doctype html><title>Tab</title><ul></ul><script type="module">
  import { createClient } from './client.js';
  const { url, token, place } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  const client = createClient({ url, token });
  const show = (text) => document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>' + text);
  const follow = async (changes) => {
    for await (const { data } of changes) show(data.type);
  };
  follow(client.comments.changes(place));
  follow(client.presence.changes(place));
  follow(client.notifications.changes({ organizationId: place.organizationId }));
  const { data } = await client.users.get({ organizationId: 'acme', userIds: ['ada'] });
  show('read ' + data[0].userId);
</script>`;
const server = await startTestServer();
const app = createServerClient(server.quickstart);
await app.organizations.add({ organizations: [{ organizationId: 'acme' }] });
await app.documents.add({ organizationId: 'acme', documents: [{ documentId: 'plan' }] });
await app.users.add({ organizationId: 'acme', users: [{ userId: 'ada' }] });
const build = await rolldown({ input: ENTRY });
const { output } = await build.generate({ format: 'es', minify: true });
const script = output[0].code;
const pages = createServer(({ url }, response) => {
  const isScript = url === '/client.js';
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? script : PAGE);
});
const pageUrl = await listen(pages);

it('is small', () => {
  expect(gzipSync(script).length).toBeLessThan(MAX_COMPRESSED_BYTES);
});

it('works in ten tabs of a browser at once, each with one socket', async () => {
  const { token } = await app.auth.generateToken({
    userId: 'ada',
    permissions: { resources: [{ type: 'organization', id: 'acme' }] },
  });
  const hash = encodeURIComponent(JSON.stringify({ url: server.url, token, place }));
  const browser = await startChromium();
  const tabs = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const page = await browser.newPage();
      const sockets: string[] = [];
      page.on('websocket', (socket) => sockets.push(socket.url()));
      await page.goto(`${pageUrl}/#${hash}`);
      await page.getByText('read ada').waitFor();
      // The list of those present is the first item of a subscription.
      await page.getByText(/^presence/).waitFor();
      return { page, sockets };
    }),
  );
  const commentData = [{ commentText: 'Hello', from: { userId: 'bea' } }];
  await app.commentAnnotations.add({ ...place, commentAnnotations: [{ commentData }] });
  for (const { page, sockets } of tabs) {
    await page.getByText('comment_annotation.add').waitFor();
    expect(sockets).toHaveLength(1);
  }
});
