import { createElement } from 'react';
import { expect, it } from 'vitest';
import type { User } from '../../src/api/contract.ts';
import { collaborationOf } from '../../src/client/core/collaboration.ts';
import { createClient } from '../../src/client/index.ts';
import { CollaborationProvider, DocumentProvider, Threads } from '../../src/client/react.ts';
import { createServerClient } from '../../src/client/server.ts';
import { organize } from '../support/directory.ts';
import { provideDom, render } from '../support/dom.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
const server = await startTestServer();
const app = createServerClient(server.quickstart);
await organize(server, 'acme', { documents: ['plan'] });
const commentAnnotations = ['ada', 'bea', 'cal'].map((userId) => ({
  annotationId: `thread-of-${userId}`,
  commentData: [{ commentText: `By ${userId}`, from: { userId } }],
}));
await app.commentAnnotations.add({ ...place, commentAnnotations });
const resources = [{ type: 'organization' as const, id: 'acme' }];
const { token } = await app.auth.generateToken({ userId: 'ada', permissions: { resources } });
provideDom();

it('an arriving comment renders the comments of its thread alone, and a read of the access that finds no change renders none', async () => {
  const client = createClient({ url: server.url, token });
  whenTestEnds(() => client.close());
  /** The authors of all comments that were rendered, in order. */
  const rendered: string[] = [];
  const Avatar = ({ user }: { user: User }) => {
    rendered.push(user.userId);
    return null;
  };
  const threads = createElement(Threads, { components: { Avatar } });
  const element = render(
    createElement(
      CollaborationProvider,
      { client, organizationId: 'acme' },
      createElement(DocumentProvider, { documentId: 'plan' }, threads),
    ),
  );
  const { cache } = collaborationOf(client);
  await eventually(() => expect(element.textContent).toContain('Delete'));
  await eventually(() => expect(client.connection.status).toBe('connected'));
  await eventually(() => expect(cache.isFetching()).toBe(0));
  rendered.length = 0;
  await cache.refetchQueries({ queryKey: ['access'] });
  expect(rendered).toEqual([]);
  const commentData = [{ commentText: 'Arrived', from: { userId: 'dan' } }];
  await app.comments.add({ ...place, annotationId: 'thread-of-bea', commentData });
  await eventually(() => expect(element.textContent).toContain('Arrived'));
  expect(rendered.toSorted()).toEqual(['bea', 'dan']);
});
