import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import type * as Y from 'yjs';
import type { DocumentRef } from './core/collaboration.ts';
import type { CollaborationClient } from './create-client.ts';
import { REFUSED_RETRY_MS } from './follow.ts';
import { Listeners } from './listeners.ts';
import { SharedRuns } from './shared-runs.ts';
import { SIGNED_OUT } from './token-source.ts';
import { type Transport, transportOf } from './transport.ts';

export interface EditorPlace extends DocumentRef {
  /** The id of the content. A document may have several contents, each with an id of its own. */
  editorId: string;
}

export interface EditorOptions {
  /** The Yjs document to connect; by default, a new one. `editor.document` returns it. */
  document?: Y.Doc | undefined;
  /** The name and colour that others see at the user's cursor. The server replaces this name with the real one. */
  user?: { name?: string; color?: string; [field: string]: unknown } | undefined;
}

/** `refused`: the user has no access, or has lost it. For `refused` and `signedOut`, `error` gives the reason. */
export type EditorStatus = 'connecting' | 'synced' | 'offline' | 'refused' | 'signedOut';

/** A ping of Hocuspocus: its message type, without content. */
const PING = new Uint8Array([9]);

/** The server removes a cursor that is not published again within 30 seconds. */
const CURSOR_RENEWAL_MS = 15_000;

/** The longest time that a timer can wait: 25 days. */
const NEVER_MS = 2 ** 31 - 1;

/** Whether the server is about to send the content of a document. */
const isLoading = ({ isAuthenticated, synced }: HocuspocusProvider): boolean =>
  isAuthenticated && !synced;

/**
 * The socket of editors. It drops messages while there is no connection: once connected again, each editor sends
 * everything that the server lacks.
 */
class EditorWebsocket extends HocuspocusProviderWebsocket {
  override send(message: unknown): void {
    const { webSocket } = this;
    if (webSocket && webSocket.readyState === webSocket.OPEN) super.send(message);
  }
}

class EditorProvider extends HocuspocusProvider {
  /** Removes the user's cursor. If the page comes back from the browser's cache, the cursor is shown again. */
  override pageHide(): void {
    const state = this.awareness?.getLocalState() ?? null;
    super.pageHide();
    addEventListener('pageshow', () => this.awareness?.setLocalState(state), { once: true });
  }
}

/** The sockets by transport. All editors of a client share one. */
const sockets = new SharedRuns();

/** The live content of a document, shared with everybody who has it open. */
export class ConnectedEditor {
  /** The Hocuspocus provider, which the bindings of editors take. */
  readonly provider: HocuspocusProvider;
  readonly document: Y.Doc;
  readonly #transport: Transport;
  readonly #listeners = new Listeners();
  /** The functions that `destroy` calls. */
  readonly #cleanups: Array<() => void>;
  /** Ends the wait for a token. */
  #tokenWait = new AbortController();
  /** The token that was sent last; undefined while the editor waits for a token. */
  #token: string | undefined;
  /** Whether the token has been renewed since the last synchronization or retry. */
  #wasTokenRenewed = false;
  /** Why the server refused the editor. */
  #refusal: string | undefined;
  #refusedRetry: ReturnType<typeof setTimeout> | undefined;
  /** Whether the content has arrived. It may be outdated while the editor is offline. */
  #hasContent = false;

  constructor(client: CollaborationClient, place: EditorPlace, options: EditorOptions) {
    const transport = transportOf(client);
    this.#transport = transport;
    const { notify } = this.#listeners;
    const socket = sockets.use(transport, (signal) => openSocket(transport, signal));
    this.provider = new EditorProvider({
      websocketProvider: socket.value,
      // Allows several editors of one content on the shared socket.
      sessionAwareness: true,
      name: documentNameOf(place),
      token: () => this.#waitForToken(),
      ...(options.document && { document: options.document }),
      onSynced: ({ state }) => state && this.#onSynced(),
      onStatus: notify,
      onUnsyncedChanges: notify,
      onAuthenticated: notify,
      onAuthenticationFailed: ({ reason }) => this.#onRefused(reason),
      onClose: ({ event }) => this.#onClosed(event.reason),
    });
    this.document = this.provider.document;
    if (options.user) this.provider.setAwarenessField('user', options.user);
    // Stop Yjs's own renewal, which uses the computer's clock: cursors would vanish when that clock is changed.
    clearInterval(this.provider.awareness?._checkInterval);
    const cursorRenewal = setInterval(() => this.#republishCursor(), CURSOR_RENEWAL_MS);
    this.#cleanups = [
      transport.connection.subscribe(notify),
      transport.network.subscribe(notify),
      () => this.provider.destroy(),
      () => this.#tokenWait.abort(),
      () => clearTimeout(this.#refusedRetry),
      () => clearInterval(cursorRenewal),
      socket.release,
    ];
    this.provider.attach();
  }

  get status(): EditorStatus {
    const { connection, network } = this.#transport;
    if (this.#refusal !== undefined) return 'refused';
    if (this.provider.synced) return 'synced';
    if (connection.status === 'signedOut') return 'signedOut';
    return network.isUnreachable ? 'offline' : 'connecting';
  }

  /** The reason, while the status is `refused` or `signedOut`. */
  get error(): string | undefined {
    return this.status === 'signedOut' ? SIGNED_OUT : this.#refusal;
  }

  /**
   * Whether the server accepts the user's edits. This is false until the content has arrived, for a viewer, and while
   * the storage quota is used up. Make the editor read-only while this is false: edits would be lost. The value does not
   * change while the editor is offline.
   */
  get canWrite(): boolean {
    return this.#hasContent && this.#isWriter;
  }

  /** Whether edits are waiting to be stored by the server. If so, ask the user before the page is left. */
  get hasUnsyncedChanges(): boolean {
    return this.#isWriter && this.provider.hasUnsyncedChanges;
  }

  get #isWriter(): boolean {
    return this.#refusal === undefined && this.provider.authorizedScope === 'read-write';
  }

  /**
   * Calls the listener when the status, `canWrite` or `hasUnsyncedChanges` changes.
   *
   * @returns a function that ends the subscription
   */
  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** Disconnects the editor. Waiting edits are still sent, unless the page or the client is closed first. */
  destroy(): void {
    // Empty the list, so that a second call has no effect.
    const cleanups = this.#cleanups.splice(0);
    if (cleanups.length === 0) return;
    this.#listeners.clear();
    const { closed } = this.#transport;
    const endIfStored = () => {
      const isWaiting = this.canWrite && this.hasUnsyncedChanges && !closed.aborted;
      if (!isWaiting) for (const cleanUp of cleanups.splice(0)) cleanUp();
    };
    endIfStored();
    if (cleanups.length === 0) return;
    // Others see at once that the user has left, even if edits are still waiting.
    this.provider.awareness?.setLocalState(null);
    closed.addEventListener('abort', endIfStored);
    cleanups.push(this.subscribe(endIfStored), () =>
      closed.removeEventListener('abort', endIfStored),
    );
  }

  /** Waits until the app returns a token. A new call ends the wait of the previous one. */
  async #waitForToken(): Promise<string> {
    this.#tokenWait.abort();
    this.#tokenWait = new AbortController();
    this.#token = undefined;
    this.#token = await this.#transport.untilToken(this.#tokenWait.signal);
    return this.#token;
  }

  #onSynced(): void {
    this.#wasTokenRenewed = false;
    this.#hasContent = true;
    this.#republishCursor();
    this.#setRefusal(undefined);
  }

  /**
   * Publishes the cursor again with a higher clock. The provider would not raise the clock after an interruption, and
   * other editors ignore a state whose clock is not higher than that of the last state they have seen.
   */
  #republishCursor(): void {
    const { awareness } = this.provider;
    const state = awareness?.getLocalState();
    if (state) awareness?.setLocalState(state);
  }

  /** Forgets the clocks of other cursors. Otherwise Yjs would ignore cursors that the server sends again unchanged. */
  #forgetClocks(): void {
    const { meta, clientID } = this.provider.awareness ?? {};
    for (const client of meta?.keys() ?? []) if (client !== clientID) meta?.delete(client);
  }

  /** Handles the closing of the document. If the socket is still open, the server may have refused the document. */
  #onClosed(reason: string): void {
    this.#forgetClocks();
    const { status } = this.provider.configuration.websocketProvider;
    if (status !== 'connected') return;
    // An editor that waits for a token has not been refused. Attach it again, since the provider synchronizes only a
    // document that it has opened itself.
    if (this.#token === undefined) {
      this.#setRefusal(undefined);
      this.#attachAgain();
    } else this.#onRefused(reason);
  }

  /** Tries once with a new token, since the old one may have expired while the computer slept. Then shows the refusal. */
  #onRefused(reason: string): void {
    // The provider also calls this when the wait for a token has been aborted.
    if (this.#token === undefined) return;
    if (this.#wasTokenRenewed || !this.#transport.discardToken(reason, this.#token)) {
      this.#setRefusal(reason);
      return;
    }
    this.#wasTokenRenewed = true;
    this.#attachAgain();
  }

  #attachAgain(): void {
    this.provider.detach();
    this.provider.attach();
  }

  #setRefusal(reason: string | undefined): void {
    this.#refusal = reason;
    clearTimeout(this.#refusedRetry);
    // Do not try again: deleted content must never be sent into a new document that has the same id.
    if (reason === 'NOT_FOUND') this.provider.detach();
    else if (reason !== undefined) {
      this.#refusedRetry = setTimeout(() => {
        this.#wasTokenRenewed = false;
        this.#attachAgain();
      }, REFUSED_RETRY_MS);
    }
    this.#listeners.notify();
  }
}

/**
 * Connects to one content of a document, and reconnects by itself, with a new token if needed. Edits that are made
 * while there is no connection are kept, and sent later.
 */
export function connectEditor(
  client: CollaborationClient,
  { organizationId, documentId, editorId, ...options }: EditorPlace & EditorOptions,
): ConnectedEditor {
  return new ConnectedEditor(client, { organizationId, documentId, editorId }, options);
}

const documentNameOf = ({ organizationId, documentId, editorId }: EditorPlace): string =>
  [organizationId, documentId, editorId].map(encodeURIComponent).join('/');

/** Opens the socket that all editors of a client share, and opens it again whenever it is closed. */
function openSocket(transport: Transport, signal: AbortSignal): HocuspocusProviderWebsocket {
  const websocket: EditorWebsocket = new EditorWebsocket({
    url: transport.editorsUrl,
    WebSocketPolyfill: transport.webSocketClass(PING, () =>
      [...websocket.configuration.providerMap.values()].some(isLoading),
    ),
    autoConnect: false,
    maxAttempts: 1,
    // `WatchedSocket` notices a dead connection, and waits longer for content than the provider would.
    messageReconnectTimeout: NEVER_MS,
    // The provider also calls this when the socket could not be opened.
    onClose: () => {
      websocket.shouldConnect = false;
      void open();
    },
  });
  const open = async () => {
    await transport.network.untilAttempt();
    // The server would close a socket that sends no token.
    await transport.untilToken(signal).catch(() => {});
    if (!signal.aborted) void websocket.connect();
  };
  void open();
  signal.addEventListener('abort', () => websocket.destroy());
  return websocket;
}
