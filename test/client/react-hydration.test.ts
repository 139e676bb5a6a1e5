import { createElement } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { type CollaborationClient, createClient } from '../../src/client/index.ts';
import { CollaborationProvider, Inbox, useConnectionStatus } from '../../src/client/react.ts';
import { provideDom } from '../support/dom.ts';
import { eventually } from '../support/eventually.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const Status = () => createElement('output', {}, useConnectionStatus());
const pageOf = (client: CollaborationClient) =>
  createElement(CollaborationProvider, { client }, createElement(Status));

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

it('a page from a server takes over its connection status, also after others have connected', async () => {
  const html = renderToString(pageOf(newClient()));
  const client = newClient();
  const changes = client.comments.changes({ organizationId: 'acme', documentId: 'plan' });
  void changes[Symbol.asyncIterator]().next();
  await eventually(() => expect(client.connection.status).not.toBe('idle'));
  provideDom();
  const element = document.createElement('div');
  element.innerHTML = html;
  expect(element.textContent).toBe('idle');
  const mismatches: unknown[] = [];
  const root = hydrateRoot(element, pageOf(client), {
    onRecoverableError: (error) => mismatches.push(error),
  });
  whenTestEnds(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    root.unmount();
    // React ends the effects in the next turn, and the cache a second later. Both need the window for it.
    await new Promise(setImmediate);
    vi.runAllTimers();
    vi.useRealTimers();
  });
  await eventually(() => expect(element.textContent).toBe(client.connection.status));
  expect(mismatches).toEqual([]);
});
