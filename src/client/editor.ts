import {
  HocuspocusProvider,
  HocuspocusProviderWebsocket,
  type WebSocketStatus,
} from '@hocuspocus/provider';
import type * as Y from 'yjs';
import type { DocumentRef } from './core/collaboration.ts';
import type { CollaborationClient } from './create-client.ts';
import { Listeners } from './listeners.ts';
import { delay } from './retry.ts';
import { isSignedOut } from './token-source.ts';
import { type Transport, transportOf } from './transport.ts';

export interface EditorPlace extends DocumentRef {
  /** Names one of several contents of a document. */
  editorId: string;
}

export interface EditorOptions {
  /** By default, the provider makes one: `editor.document`. */
  document?: Y.Doc | undefined;
  /** The name and colour that other editors see at the cursor. The server corrects the name. */
  user?: { name?: string; color?: string; [field: string]: unknown } | undefined;
}

/** `refused`: the user has no access, or has lost it. `error` gives the reason, also for `signedOut`. */
export type EditorStatus = 'connecting' | 'synced' | 'offline' | 'refused' | 'signedOut';

const TOKEN_POLL_MS = 500;
const IDLE_SOCKET_MS = 1_000;
/** The message type of a ping of Hocuspocus, without content. */
const PING = new Uint8Array([9]);

/** All editors of a client share a socket. */
const sockets = new WeakMap<CollaborationClient, SharedSocket>();

interface SharedSocket {
  websocket: HocuspocusProviderWebsocket;
  editors: Set<ConnectedEditor>;
}

/** The live content of a document, shared with everybody who has it open. */
export class ConnectedEditor {
  /** The provider of Hocuspocus, which the bindings of editors take. */
  readonly provider: HocuspocusProvider;
  readonly document: Y.Doc;
  readonly #client: CollaborationClient;
  readonly #transport: Transport;
  readonly #listeners = new Listeners();
  /** The token that was sent last; undefined while none was. */
  #token: string | undefined;
  readonly #unsubscribe: () => void;
  #wasRenewed = false;
  #status: EditorStatus = 'connecting';
  #error: string | undefined;

  constructor(client: CollaborationClient, place: EditorPlace, options: EditorOptions) {
    this.#client = client;
    this.#transport = transportOf(client);
    this.provider = new HocuspocusProvider({
      websocketProvider: openSocket(client, this),
      // Allows several editors of one content on the shared socket.
      sessionAwareness: true,
      name: nameOf(place),
      token: async () => {
        this.#token = undefined;
        try {
          this.#token = await this.#transport.token();
          return this.#token;
        } catch (error) {
          this.#onTokenFailure(error);
          throw error;
        }
      },
      ...(options.document && { document: options.document }),
      onSynced: ({ state }) => state && this.#onSynced(),
      onStatus: ({ status }) => this.#onStatus(status),
      onUnsyncedChanges: this.#listeners.notify,
      onAuthenticated: this.#listeners.notify,
      onAuthenticationFailed: ({ reason }) => this.#onRefused(reason),
      onClose: ({ event }) => this.#onClosed(event.reason),
    });
    this.document = this.provider.document;
    if (options.user) this.provider.setAwarenessField('user', options.user);
    this.#unsubscribe = this.#transport.connection.subscribe(() => this.#onConnectionChange());
    this.provider.attach();
  }

  get status(): EditorStatus {
    return this.#status;
  }

  /** Why the server refused the editor, while the status is `refused`. */
  get error(): string | undefined {
    return this.#error;
  }

  /**
   * Whether the server takes edits of the user: not those of a viewer, nor while the storage is used up.
   * Make the editor read-only while it is false, since such edits are lost. It stays as it was while
   * the editor is offline.
   */
  get canWrite(): boolean {
    return this.#status !== 'refused' && this.provider.authorizedScope === 'read-write';
  }

  /** Whether edits wait to be stored by the server. Ask the user before the page is left. */
  get hasUnsyncedChanges(): boolean {
    return this.canWrite && this.provider.hasUnsyncedChanges;
  }

  /** Calls the listener when the status, `canWrite` or `hasUnsyncedChanges` changes. @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  destroy(): void {
    this.#listeners.clear();
    this.#unsubscribe();
    this.provider.destroy();
    closeSocket(this.#client, this);
  }

  #onSynced(): void {
    this.#wasRenewed = false;
    this.#setStatus('synced');
  }

  /** A document that is closed on an open socket was refused. `#onStatus` handles the end of a socket. */
  #onClosed(reason: string): void {
    const { status } = this.provider.configuration.websocketProvider;
    if (status === 'connected') this.#onRefused(reason);
  }

  /** The provider reports the same failure afterwards, with a technical message. */
  #onTokenFailure(error: unknown): void {
    if (isSignedOut(error)) this.#setStatus('signedOut', (error as Error).message);
    else void this.#attachLater();
  }

  async #attachLater(): Promise<void> {
    this.#setStatus('offline');
    await delay(TOKEN_POLL_MS);
    if (this.provider.isAttached) this.#attachAgain();
  }

  #onConnectionChange(): void {
    const isSignedOut = this.#transport.connection.status === 'signedOut';
    if (this.#status === 'signedOut' && !isSignedOut) this.#attachAgain();
  }

  #attachAgain(): void {
    this.#setStatus('connecting');
    this.provider.detach();
    this.provider.attach();
  }

  /** A token may have expired while the computer slept, so it is renewed once. */
  #onRefused(reason: string): void {
    if (this.#token === undefined || this.#status === 'signedOut') return;
    if (this.#wasRenewed || !this.#transport.refuseToken(reason, this.#token)) {
      this.#setStatus('refused', reason);
      return;
    }
    this.#wasRenewed = true;
    this.#attachAgain();
  }

  #onStatus(status: `${WebSocketStatus}`): void {
    if (status === 'connected' || this.#status === 'refused' || this.#status === 'signedOut')
      return;
    this.#setStatus(status === 'connecting' ? 'connecting' : 'offline');
  }

  #setStatus(status: EditorStatus, error?: string): void {
    this.#status = status;
    this.#error = error;
    this.#listeners.notify();
  }
}

/**
 * Connects to the content of a document. It reconnects by itself and with a renewed token; edits
 * that are made meanwhile are kept and sent.
 */
export function connectEditor(
  client: CollaborationClient,
  { organizationId, documentId, editorId, ...options }: EditorPlace & EditorOptions,
): ConnectedEditor {
  return new ConnectedEditor(client, { organizationId, documentId, editorId }, options);
}

const nameOf = ({ organizationId, documentId, editorId }: EditorPlace): string =>
  [organizationId, documentId, editorId].map(encodeURIComponent).join('/');

function openSocket(client: CollaborationClient, editor: ConnectedEditor) {
  const known = sockets.get(client);
  const shared = known ?? { websocket: connect(transportOf(client)), editors: new Set() };
  shared.editors.add(editor);
  sockets.set(client, shared);
  return shared.websocket;
}

/** The network of the client, not the provider, decides when the next attempt is due. */
function connect(transport: Transport): HocuspocusProviderWebsocket {
  const websocket: HocuspocusProviderWebsocket = new HocuspocusProviderWebsocket({
    url: transport.editorsUrl,
    WebSocketPolyfill: transport.webSocket(PING),
    maxAttempts: 1,
    // The wait after a connection that was open.
    delay: 0,
    minDelay: 0,
    onMaxAttemptsFailed: async () => {
      await transport.network.untilAttempt();
      if (websocket.shouldConnect) void websocket.connect();
    },
  });
  return websocket;
}

/** Closes the shared socket after its last editor, unless another one follows at once. */
function closeSocket(client: CollaborationClient, editor: ConnectedEditor): void {
  const shared = sockets.get(client);
  if (!shared?.editors.delete(editor) || shared.editors.size > 0) return;
  setTimeout(() => {
    if (shared.editors.size > 0 || sockets.get(client) !== shared) return;
    sockets.delete(client);
    shared.websocket.destroy();
  }, IDLE_SOCKET_MS);
}
