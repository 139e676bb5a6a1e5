import { createElement, type ReactNode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { collaborationOf } from '../../src/client/core/collaboration.ts';
import { pendingThread } from '../../src/client/core/optimistic.ts';
import { type CollaborationClient, createClient } from '../../src/client/index.ts';
import {
  CollaborationProvider,
  CommentView,
  DocumentProvider,
  Inbox,
  useConnectionStatus,
  useNotificationSettings,
  useThreads,
  useUnreadCount,
} from '../../src/client/react.ts';
import { provideDom, unmountWhenTestEnds } from '../support/dom.ts';
import { eventually } from '../support/eventually.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const Status = () => createElement('output', {}, useConnectionStatus());
const pageOf = (client: CollaborationClient) =>
  createElement(CollaborationProvider, { client }, createElement(Status));

const inDocument = (client: CollaborationClient, content: ReactNode) =>
  createElement(
    CollaborationProvider,
    { client, organizationId: 'acme' },
    createElement(DocumentProvider, { documentId: 'plan' }, content),
  );

function newClient(): CollaborationClient {
  // Nothing listens at port 9.
  const client = createClient({ url: 'http://127.0.0.1:9', token: 'a token' });
  whenTestEnds(() => client.close());
  return client;
}

it('an inbox needs no other component to name its organization', () => {
  const inbox = createElement(Inbox, { organizationId: 'acme' });
  const page = createElement(CollaborationProvider, { client: newClient() }, inbox);
  expect(renderToString(page)).toContain('Mark all as read');
});

/** Lets a browser take over an element whose text a server has rendered. @returns what React complained of */
function hydrate(element: Element, page: ReactNode): unknown[] {
  const mismatches: unknown[] = [];
  const root = hydrateRoot(element, page, {
    onRecoverableError: (error) => mismatches.push(error),
  });
  unmountWhenTestEnds(root);
  return mismatches;
}

function elementOf(html: string): HTMLElement {
  provideDom();
  const element = document.createElement('div');
  element.innerHTML = html;
  return element;
}

it('a page from a server takes over its connection status, also after others have connected', async () => {
  const html = renderToString(pageOf(newClient()));
  const client = newClient();
  const changes = client.comments.changes({ organizationId: 'acme', documentId: 'plan' });
  void changes[Symbol.asyncIterator]().next();
  await eventually(() => expect(client.connection.status).not.toBe('idle'));
  const element = elementOf(html);
  expect(element.textContent).toBe('idle');
  const mismatches = hydrate(element, pageOf(client));
  await eventually(() => expect(element.textContent).toBe(client.connection.status));
  expect(mismatches).toEqual([]);
});

it('a part of a page from a server that comes late shows what others have read meanwhile', async () => {
  const Part = () => {
    const { total } = useUnreadCount();
    const { isLoading } = useThreads();
    const { settings } = useNotificationSettings();
    return `${total} ${isLoading ? 'loading' : 'read'} ${settings?.inbox ?? 'none'}`;
  };
  const partOf = (client: CollaborationClient) => inDocument(client, createElement(Part));
  const element = elementOf(renderToString(partOf(newClient())));
  expect(element.textContent).toBe('0 loading none');
  const client = newClient();
  const { cache } = collaborationOf(client);
  cache.setQueryData(['inbox', 'acme', 'unread'], { total: 3, byDocumentId: {} });
  cache.setQueryData(['threads', 'acme', 'plan', { pageSize: 50 }], {
    pages: [{ readAt: 1, threads: [] }],
    pageParams: [undefined],
  });
  cache.setQueryData(['notification settings', 'acme', undefined], { inbox: 'MINE' });
  const mismatches = hydrate(element, partOf(client));
  await eventually(() => expect(element.textContent).toBe('3 read MINE'));
  expect(mismatches).toEqual([]);
});

it('a comment from a server keeps its time and its format, in the clock and the language of its reader', async () => {
  const from = { userId: 'ada', name: 'Ada' };
  const draft = { annotationId: 'thread-of-ada', text: 'Now?', html: '<b>Now</b>?' };
  const thread = pendingThread(draft, from);
  const comments = thread.comments.map((comment) =>
    createElement(CommentView, { key: comment.commentId, thread, comment }),
  );
  const pageOfComment = (client: CollaborationClient) => inDocument(client, comments);
  vi.stubGlobal('DOMParser', undefined);
  const html = renderToString(pageOfComment(newClient()));
  vi.unstubAllGlobals();
  const element = elementOf(html);
  expect(element.textContent).toMatch(/^AAda \d{4}-\d\d-\d\dNow\?$/);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.advanceTimersByTime(7_200_000);
  const mismatches = hydrate(element, pageOfComment(newClient()));
  await eventually(() => expect(element.querySelector('b')?.textContent).toBe('Now'));
  expect(element.textContent).toBe('AAda 2 hours agoNow?');
  expect(mismatches).toEqual([]);
});
