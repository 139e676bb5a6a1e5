import { expect, it, onTestFinished } from 'vitest';
import { liveMembers, liveThread, liveThreads } from '../../src/client/core.ts';
import { createClient } from '../../src/client/index.ts';
import { createServerClient } from '../../src/client/server.ts';
import { organize } from '../support/directory.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startTestServer } from '../support/server.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
const server = await startTestServer();
const app = createServerClient(server.quickstart);
await organize(server, 'acme', { documents: ['plan'] });
const resources = [{ type: 'organization' as const, id: 'acme' }];
const { token } = await app.auth.generateToken({ userId: 'ada', permissions: { resources } });

it('makes one attempt while sockets cannot reach the server, and the next once they can', async () => {
  const proxy = await createNetwork(server.url);
  let reads = 0;
  const client = createClient({
    url: proxy.url,
    token,
    fetch: (input, init) => {
      if (String(input).includes('users.get')) reads++;
      return fetch(input, init);
    },
  });
  onTestFinished(() => client.close());
  const threads = liveThreads(client, place);
  onTestFinished(threads.subscribe(() => {}));
  await eventually(() => expect(client.connection.status).toBe('connected'));
  proxy.cut();
  await eventually(() => expect(client.connection.status).toBe('offline'));
  reads = 0;
  const members = liveMembers(client, place);
  onTestFinished(members.subscribe(() => {}));
  await eventually(() => expect(reads).toBe(1));
  const { refused } = proxy;
  await eventually(() => expect(proxy.refused).toBeGreaterThan(refused + 8));
  expect(reads).toBe(1);
  expect(members.get()).toMatchObject({ isLoading: true, error: null });
  proxy.mend();
  await eventually(() => expect(members.get().users).toHaveLength(1));
  expect(reads).toBe(2);
});

it('follows a document once, in whatever order its values name it', async () => {
  const followed: string[] = [];
  class CountingSocket extends WebSocket {
    override send(data: string | Uint8Array<ArrayBuffer>): void {
      const messages = String(data).matchAll(/"documentId":"(\w+)"[^{]*"comments\.changes"/g);
      followed.push(...[...messages].map(([, documentId = '']) => documentId));
      super.send(data);
    }
  }
  const client = createClient({ url: server.url, token, WebSocket: CountingSocket });
  onTestFinished(() => client.close());
  const { organizationId, documentId } = place;
  const lives = [
    liveThreads(client, { organizationId, documentId }),
    liveThread(client, { annotationId: 'none', documentId, organizationId }),
    // It is followed after the others, so nothing about them is sent later.
    liveThreads(client, { organizationId, documentId: 'other' }),
  ];
  for (const live of lives) onTestFinished(live.subscribe(() => {}));
  await eventually(() => expect(followed).toContain('other'));
  expect(followed).toEqual(['plan', 'other']);
});
