import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import { beforeAll, beforeEach } from 'vitest';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { dataOf, fresh, type Loose } from './answers.ts';
import { eventually } from './eventually.ts';
import { post, startTestServer } from './server.ts';
import { whenTestEnds } from './when-file-ends.ts';

/** An editor as the server sees a browser. */
export type Editor = ReturnType<typeof connect>;

interface EditorOptions {
  url: string;
  name: string;
  token: string | (() => string) | (() => Promise<string>);
  headers?: Record<string, string>;
  doc?: Y.Doc;
  /** The socket of another editor, which this one shares. */
  socket?: HocuspocusProviderWebsocket | undefined;
}

/** Connects without waiting. */
export function connect(options: EditorOptions) {
  const { name, token, doc = new Y.Doc(), socket = socketTo(options) } = options;
  /** The reasons for which the server refused or closed the connection to the document, in order. */
  const refusals: string[] = [];
  const provider = new HocuspocusProvider({
    websocketProvider: socket,
    name,
    token,
    document: doc,
    onAuthenticationFailed: ({ reason }) => refusals.push(reason),
    onClose: ({ event }) => refusals.push(event.reason),
  });
  provider.attach();
  whenTestEnds(() => {
    provider.destroy();
    socket.destroy();
  });
  /** Returns the awareness states that the editor knows, by Yjs client. */
  const states = () => new Map<number, Loose>(provider.awareness?.getStates());
  /** Resolves once the server has stored all edits of this editor. */
  const sent = (deadlineMs?: number) =>
    eventually(() => {
      if (provider.hasUnsyncedChanges || !provider.synced) throw new Error('not sent yet');
    }, deadlineMs);
  /** Closes its socket for good, without taking leave of the document. */
  const leave = () => {
    socket.destroy();
    provider.destroy();
  };
  /** Closes its socket. @returns what connects it again */
  const disconnect = async () => {
    socket.disconnect();
    // A provider that connects before its former socket has closed stays disconnected.
    await eventually(() => {
      if (socket.status !== 'disconnected') throw new Error('still connected');
    });
    return () => socket.connect();
  };
  const text = doc.getText('content');
  return { provider, doc, text, refusals, states, sent, disconnect, leave };
}

function socketTo({ url, headers = {} }: EditorOptions): HocuspocusProviderWebsocket {
  class Polyfill extends WebSocket {
    constructor(address: string) {
      super(address, { headers });
      // The provider removes its listeners from an abandoned socket, which may still emit an
      // error.
      this.on('error', () => undefined);
    }
  }
  return new HocuspocusProviderWebsocket({
    url: `${url.replace(/^http/, 'ws')}/collaboration`,
    WebSocketPolyfill: Polyfill,
    delay: 50,
    minDelay: 50,
    maxDelay: 200,
    jitter: false,
  });
}

/** Connects, and waits for the content. */
export async function openEditor(options: EditorOptions): Promise<Editor> {
  const editor = connect(options);
  await eventually(() => {
    if (!editor.provider.synced) throw new Error(`not synced: ${editor.refusals.join(', ')}`);
  });
  return editor;
}

/** A server as callers of its API see it. */
interface Api {
  url: string;
  keyHeaders: Record<string, string>;
}

/** Opens an editor of the document `plan` as a user who may write. */
export const openPlan = async (server: Api, editorId: string, userId = 'ed'): Promise<Editor> =>
  openEditor({
    url: server.url,
    name: `acme/plan/${editorId}`,
    token: await userToken(server, userId, { accessRole: 'editor' }),
  });

/** The credentials of a user who may write in the document `plan`. */
export const planHeaders = async (server: Api, userId: string) => ({
  authorization: `Bearer ${await userToken(server, userId, { accessRole: 'editor' })}`,
});

/** An editor of the document `plan` of a server, which is another one in each test. */
export function newEditorPerTest(server: Api) {
  const editor = { organizationId: 'acme', documentId: 'plan', editorId: '' };
  beforeAll(() => makePlan(server));
  beforeEach(() => {
    Object.assign(editor, { documentId: 'plan', editorId: fresh('body') });
  });
  return editor;
}

/** A user token with a role on one document. */
export async function userToken(
  server: Api,
  userId: string,
  grant: { accessRole: 'viewer' | 'editor'; expiresAt?: number } | undefined = undefined,
  headers = server.keyHeaders,
): Promise<string> {
  const resources = grant
    ? [{ type: 'document', id: 'plan', organizationId: 'acme', ...grant }]
    : [];
  const { body } = await post(
    `${server.url}/v2/auth/generate_token`,
    { data: { userId, permissions: { resources } } },
    headers,
  );
  return body.result.data.token;
}

/** A text of this length with words that another seed does not repeat. */
export function words(seed: number, length: number): string {
  let text = '';
  for (let at = seed; text.length < length; at = (at * 48_271) % 2_147_483_647) {
    text += `${at.toString(36)} `;
  }
  return text;
}

/** Creates organization `acme` with the restricted document `plan`. */
export async function makePlan(server: Api, headers = server.keyHeaders): Promise<void> {
  const data = {
    organizationId: 'acme',
    createOrganization: true,
    documents: [{ documentId: 'plan', accessType: 'restricted' }],
  };
  const answer = await post(`${server.url}/v2/organizations/documents/add`, { data }, headers);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

/** The editors of the document `plan`, with the token of Ada, who may edit it. */
export async function editorsOf(server: Api) {
  await makePlan(server);
  const token = await userToken(server, 'ada', { accessRole: 'editor' });
  /** Calls /v2/crdt/<verb> at this server or another, and returns the data of its answer. */
  const call = async (
    verb: string,
    data: object,
    at: Pick<Api, 'url'> = server,
  ): Promise<Loose> => {
    const place = { organizationId: 'acme', documentId: 'plan' };
    const body = { data: { ...place, ...data } };
    return dataOf(await post(`${at.url}/v2/crdt/${verb}`, body, server.keyHeaders));
  };
  return {
    token,
    viewerToken: await userToken(server, 'vi', { accessRole: 'viewer' }),
    call,
    open: (
      editorId: string,
      { at = server, ...more }: Partial<EditorOptions> & { at?: Pick<Api, 'url'> } = {},
    ) => openEditor({ url: at.url, name: `acme/plan/${editorId}`, token, ...more }),
    contentOf: async (editorId: string) => (await call('get', { editorId }))[0]?.data,
    /** The stored rich text with its version, once edits from sockets are committed. */
    storedXml: (editorId: string): Promise<Loose> =>
      eventually(async () => {
        const [stored] = await call('get', { editorId });
        if (stored?.type !== 'xml') throw new Error('not stored yet');
        return stored;
      }),
  };
}

/** A server with the document `plan`. */
export async function planServer(...parameters: Parameters<typeof startTestServer>) {
  const server = await startTestServer(...parameters);
  return { server, ...(await editorsOf(server)) };
}
