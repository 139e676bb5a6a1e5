import { QueryClient } from '@tanstack/query-core';
import { expect, it, onTestFinished } from 'vitest';
import { changesOf, now, receive, storeRead } from '../../src/client/core/thread-cache.ts';
import { threadActions } from '../../src/client/core.ts';
import { createClient } from '../../src/client/index.ts';
import { createServerClient } from '../../src/client/server.ts';
import { organize } from '../support/directory.ts';
import { startTestServer } from '../support/server.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
const server = await startTestServer();
const app = createServerClient(server.quickstart);
await organize(server, 'acme', { documents: ['plan'] });
const resources = [{ type: 'organization' as const, id: 'acme' }];
const { token } = await app.auth.generateToken({ userId: 'ada', permissions: { resources } });

it('are two when one input is given twice', async () => {
  const client = createClient({ url: server.url, token });
  onTestFinished(() => client.close());
  const { createThread } = threadActions(client, place);
  const input = { text: 'Looks good' };
  const ids = await Promise.all([createThread(input), createThread(input)]);
  expect(new Set(ids).size).toBe(2);
});

it('do not come back by a read that began before their deletion', async () => {
  const commentAnnotations = [{ commentData: [{ commentText: 'One', from: { userId: 'ada' } }] }];
  const added = await app.commentAnnotations.add({ ...place, commentAnnotations });
  const [annotationId = ''] = Object.keys(added);
  const cache = new QueryClient();
  const readAt = now();
  const { data } = await app.commentAnnotations.get({ ...place, annotationIds: [annotationId] });
  const deletion = { type: 'comment_annotation.delete', data: { annotationId } };
  receive(cache, place, deletion as Parameters<typeof receive>[2]);
  storeRead(cache, place, annotationId, { thread: data[0] ?? null, readAt });
  expect(changesOf(cache, place).received.get(annotationId)).toMatchObject({ thread: undefined });
});
