import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Client } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { agentToken, connectAgent } from '../support/agents.ts';
import { annotationsOf, keyWithPrivateComments, type Place } from '../support/annotations.ts';
import { dataOf, fresh } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { post, startTestServer } from '../support/server.ts';

let headers: Record<string, string>;
let place: Place;
let userId: string;

const call = (path: string, data: object, own = headers) => server.ok(path, data, own);
const documentUri = ({ organizationId, documentId }: Place) =>
  `collab://document/${organizationId}/${documentId}`;
const threadUri = (annotationId: string) =>
  `collab://thread/${place.organizationId}/${place.documentId}/${annotationId}`;
const onDocument = () => ({
  type: 'document',
  id: place.documentId,
  organizationId: place.organizationId,
});

const server = await startTestServer();
/** Another process, which hears of changes through the database alone. */
const other = await startTestServer({ DATABASE_URL: server.databaseUrl });

beforeEach(async () => {
  headers = await keyWithPrivateComments(server);
  place = annotationsOf(server).place();
  userId = fresh('ada');
  const { organizationId, documentId } = place;
  const documents = [{ documentId, accessType: 'restricted' }];
  await organize(server, organizationId, { documents }, headers);
  await call('/v2/crdt/add', { ...place, editorId: 'body', type: 'text', data: 'Hello' });
  const commentData = [{ commentText: 'Hush', from: { userId: 'carol' } }];
  dataOf(
    await annotationsOf(server, headers).add(place, [
      { annotationId: `open-${organizationId}`, commentData },
      {
        ...{ annotationId: `private-${organizationId}`, commentData },
        visibility: { type: 'restricted', userIds: ['bob'] },
      },
    ]),
  );
});

setFlagsFromString('--expose-gc');
/** Collects garbage, which must neither end a stream nor keep it open. */
const collectGarbage: () => void = runInNewContext('gc');

const agent = async () =>
  connectAgent(other, await agentToken(server, userId, [onDocument()], { headers }));

/** Listens to resources; `updated` collects the URIs of the changes. */
async function listenTo(client: Client, resourceSubscriptions: string[]) {
  const updated: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updated.push(params.uri);
  });
  const subscription = await client.listen({ resourceSubscriptions });
  let end: string | undefined;
  void subscription.closed.then((how) => {
    end = how;
  });
  return { updated, honored: subscription.honoredFilter, end: () => end };
}

const openSubscriptions = async () =>
  (await other.app.services.metrics.openSubscriptions.get()).values[0]?.value;

/** The headers, and below the body, of a request of the newest protocol that opens a stream. */
const LISTEN_HEADERS = {
  accept: 'application/json, text/event-stream',
  'mcp-method': 'subscriptions/listen',
  'mcp-protocol-version': '2026-07-28',
};
const listenMessage = (uri: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
    notifications: { resourceSubscriptions: [uri] },
  },
});

const reply = (annotationId: string) =>
  call('/v2/commentannotations/comments/add', {
    ...{ ...place, annotationId },
    commentData: [{ commentText: 'Hi', from: { userId: 'carol' } }],
  });

describe('listening to resources', () => {
  it('announces changes of the content and of visible threads, each to its own resource', async () => {
    const ids = ['open', 'private'].map((name) => `${name}-${place.organizationId}`);
    const [open = '', hidden = ''] = ids.map(threadUri);
    const document = documentUri(place);
    const { updated, honored } = await listenTo(await agent(), [document, hidden, open]);
    expect(honored.resourceSubscriptions).toEqual(expect.arrayContaining([document, open]));
    for (const id of ids.toReversed()) await reply(id);
    await eventually(() => expect(updated).toEqual([open]));
    // The first change of an editor is published at once.
    await call('/v2/crdt/add', { ...place, editorId: 'notes', type: 'text', data: 'A note' });
    await eventually(() => expect(updated).toEqual([open, document]));
  });

  it('leaves out what the person may not read, and what is no resource', async () => {
    const closed = { ...place, documentId: 'missing' };
    const others = [documentUri(closed), threadUri('%zz'), 'file:///etc/passwd', 'collab://x'];
    const uris = [documentUri(place), ...others];
    const { honored } = await listenTo(await agent(), uris);
    expect(honored.resourceSubscriptions).toEqual([documentUri(place)]);
  });

  it.each<[string, string, () => object]>([
    ['revoking the tokens', '/v2/auth/revoke_tokens', () => ({ userIds: [userId] })],
    [
      'removing the access',
      '/v2/auth/permissions/remove',
      () => ({ user: { userId }, permissions: { resources: [onDocument()] } }),
    ],
  ])('ends within a second after %s of the person', async (_what, path, input) => {
    const listening = await listenTo(await agent(), [documentUri(place)]);
    collectGarbage();
    await call(path, input());
    await eventually(() => expect(listening.end()).toBeDefined(), SOON_MS);
  });

  it('keeps no subscription of a client that has left', async () => {
    const client = await agent();
    await listenTo(client, [documentUri(place)]);
    expect(await openSubscriptions()).toBeGreaterThan(0);
    collectGarbage();
    await client.close();
    await eventually(async () => expect(await openSubscriptions()).toBe(0));
  });

  it('keeps no subscription of a client that leaves while its token is checked', async () => {
    const { abortedRequests, requestSeconds } = other.app.services.metrics;
    const aborted = async () => (await abortedRequests.get()).values[0]?.value ?? 0;
    const opened = async () =>
      (await requestSeconds.get()).values.find(
        ({ labels, metricName }) =>
          labels.operation === 'agents.followDocument' && metricName?.endsWith('_count'),
      )?.value ?? 0;
    const [abortedBefore, openedBefore] = [await aborted(), await opened()];
    const token = await agentToken(server, userId, [onDocument()], { headers });
    const held = await holdTransaction(other.databaseUrl, 'LOCK users IN ACCESS EXCLUSIVE MODE');
    const leaving = new AbortController();
    const message = listenMessage(documentUri(place));
    const own = { ...LISTEN_HEADERS, authorization: `Bearer ${token}` };
    const left = post(`${other.url}/mcp`, message, own, leaving.signal);
    await held.holdsUp(1, 'credentials');
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    await eventually(async () => expect(await aborted()).toBe(abortedBefore + 1));
    await held.release();
    await eventually(async () => expect(await opened()).toBe(openedBefore + 1));
    await eventually(async () => expect(await openSubscriptions()).toBe(0));
  });

  it('leaves nothing open for an older client, which cannot listen', async () => {
    const token = await agentToken(server, userId, [onDocument()], { headers });
    const notifications = { resourceSubscriptions: [documentUri(place)] };
    const answer = await post(
      `${other.url}/mcp`,
      { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications } },
      { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    );
    expect(JSON.stringify(answer.body)).toContain('Method not found');
    await eventually(async () => expect(await openSubscriptions()).toBe(0));
  });

  it('leaves nothing open when it is refused', async () => {
    const { organizationId } = place;
    const ids = Array.from({ length: 51 }, (_, at) => `doc-${at}`);
    await organize(server, organizationId, { documents: ids }, headers);
    const all = ids.map((documentId) => documentUri({ organizationId, documentId }));
    const client = await agent();
    await expect(listenTo(client, all)).rejects.toThrow(/at most 50/);
    const uris = all.slice(1);
    // A user may have 100 open: 99 are, and the next three would be too many.
    await listenTo(client, uris);
    await listenTo(client, uris.slice(1));
    const tooMany = listenTo(client, uris.slice(0, 3));
    await expect(tooMany).rejects.toThrow(/Too many subscriptions/);
    await eventually(async () => expect(await openSubscriptions()).toBe(99));
  });
});
