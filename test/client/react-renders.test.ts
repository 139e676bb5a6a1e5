import { createElement, type ReactNode } from 'react';
import { expect, it } from 'vitest';
import type { User } from '../../src/api/contract.ts';
import { collaborationOf } from '../../src/client/core/collaboration.ts';
import { type CollaborationClient, createClient } from '../../src/client/index.ts';
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

/** Renders a part of a page for Ada in a document. */
function renderFor(client: CollaborationClient, documentId: string, part: ReactNode) {
  const document = createElement(DocumentProvider, { documentId }, part);
  return render(createElement(CollaborationProvider, { client, organizationId: 'acme' }, document));
}

it('a comment shows the picture of its author, and the initials while it cannot be loaded', async () => {
  const photoUrl = 'https://example.com/eve.png';
  const eve = { userId: 'eve', name: 'Eve Elm', photoUrl };
  await organize(server, 'acme', { documents: ['pictures'] });
  await app.users.add({ organizationId: 'acme', users: [eve] });
  const commentData = [{ commentText: 'By Eve', from: { userId: 'eve' } }];
  await app.commentAnnotations.add({
    ...{ organizationId: 'acme', documentId: 'pictures' },
    commentAnnotations: [{ commentData }],
  });
  const client = createClient({ url: server.url, token });
  whenTestEnds(() => client.close());
  const element = renderFor(client, 'pictures', createElement(Threads));
  const picture = () => element.querySelector('.collab-avatar img');
  await eventually(() => expect(picture()?.getAttribute('src')).toBe(photoUrl));
  picture()?.dispatchEvent(new window.Event('error'));
  await eventually(() => expect(picture()).toBeNull());
  expect(element.querySelector('.collab-avatar')?.textContent).toBe('E');
});

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
  const element = renderFor(client, 'plan', threads);
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
