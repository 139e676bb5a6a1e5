import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import type * as Y from 'yjs';
import type { DocumentRef } from './core/collaboration.ts';
import type { CollaborationClient } from './create-client.ts';
import { Listeners } from './listeners.ts';
import { SharedRuns } from './shared-runs.ts';
import { SIGNED_OUT } from './token-source.ts';
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

/** The message type of a ping of Hocuspocus, without content. */
const PING = new Uint8Array([9]);

/** All editors of a client share a socket. */
const sockets = new SharedRuns();

/** The live content of a document, shared with everybody who has it open. */
export class ConnectedEditor {
  /** The provider of Hocuspocus, which the bindings of editors take. */
  readonly provider: HocuspocusProvider;
  readonly document: Y.Doc;
  readonly #transport: Transport;
  readonly #listeners = new Listeners();
  /** The functions that `destroy` calls. */
  readonly #ends: Array<() => void>;
  /** The wait for a token. */
  #asking = new AbortController();
  /** The token that was sent last; undefined while none was. */
  #token: string | undefined;
  /** Whether the token was renewed since the last synchronization. */
  #wasRenewed = false;
  /** Why the server refused the editor. */
  #refusal: string | undefined;
  /** Whether the content has arrived. It may be outdated while the editor is offline. */
  #hasContent = false;

  constructor(client: CollaborationClient, place: EditorPlace, options: EditorOptions) {
    const transport = transportOf(client);
    this.#transport = transport;
    const { notify } = this.#listeners;
    const socket = sockets.use(transport, (signal) => connect(transport, signal));
    this.provider = new HocuspocusProvider({
      websocketProvider: socket.value,
      // Allows several editors of one content on the shared socket.
      sessionAwareness: true,
      name: nameOf(place),
      token: () => this.#askToken(),
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
    this.#ends = [
      transport.connection.subscribe(notify),
      transport.network.subscribe(notify),
      () => this.provider.destroy(),
      () => this.#asking.abort(),
      socket.end,
    ];
    this.provider.attach();
  }

  get status(): EditorStatus {
    const { connection, network } = this.#transport;
    if (this.#refusal !== undefined) return 'refused';
    if (this.provider.synced) return 'synced';
    if (connection.status === 'signedOut') return 'signedOut';
    return network.isAway ? 'offline' : 'connecting';
  }

  /** Why the server refused the editor, while the status is `refused`. */
  get error(): string | undefined {
    return this.status === 'signedOut' ? SIGNED_OUT : this.#refusal;
  }

  /**
   * Whether the user may edit: not before the content has arrived, not as a viewer, nor while the storage is used up.
   * Make the editor read-only while this is false, since the server refuses edits, and they would be lost. The value
   * does not change while the editor is offline.
   */
  get canWrite(): boolean {
    return this.#hasContent && this.#isWriter;
  }

  /** Whether edits wait to be stored by the server. Ask the user before the page is left. */
  get hasUnsyncedChanges(): boolean {
    return this.#isWriter && this.provider.hasUnsyncedChanges;
  }

  get #isWriter(): boolean {
    return this.#refusal === undefined && this.provider.authorizedScope === 'read-write';
  }

  /** Calls the listener when the status, `canWrite` or `hasUnsyncedChanges` changes. @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  destroy(): void {
    this.#listeners.clear();
    // A second call finds nothing to end.
    for (const end of this.#ends.splice(0)) end();
  }

  /** Waits until the app gives a token. The next connection that needs one ends the wait. */
  async #askToken(): Promise<string> {
    this.#asking.abort();
    this.#asking = new AbortController();
    this.#token = undefined;
    this.#token = await this.#transport.untilToken(this.#asking.signal);
    return this.#token;
  }

  #onSynced(): void {
    this.#wasRenewed = false;
    this.#hasContent = true;
    this.#showAgain();
    this.#setRefusal(undefined);
  }

  /**
   * Shows the cursor after an interruption. Others remember the count of the last state that they have seen, and
   * take only one with a higher count, which the provider sends after 15 seconds.
   */
  #showAgain(): void {
    const { awareness } = this.provider;
    awareness?.setLocalState(awareness.getLocalState());
  }

  /** The server refuses a document by closing it while the socket stays open. */
  #onClosed(reason: string): void {
    const { status } = this.provider.configuration.websocketProvider;
    if (status !== 'connected') return;
    // While a token is awaited, nothing was refused. The document is opened anew, since the provider synchronizes
    // only a document that it has opened.
    if (this.#token === undefined) this.#attachAgain();
    else this.#onRefused(reason);
  }

  /** A token may have expired while the computer slept, so it is renewed once. */
  #onRefused(reason: string): void {
    // The provider also reports a wait for a token that was aborted.
    if (this.#token === undefined) return;
    if (this.#wasRenewed || !this.#transport.refuseToken(reason, this.#token)) {
      this.#setRefusal(reason);
      return;
    }
    this.#wasRenewed = true;
    this.#attachAgain();
  }

  #attachAgain(): void {
    this.#setRefusal(undefined);
    this.provider.detach();
    this.provider.attach();
  }

  #setRefusal(reason: string | undefined): void {
    this.#refusal = reason;
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

/** The client, not the provider, decides when the socket is opened, at first and after each end. */
function connect(transport: Transport, signal: AbortSignal): HocuspocusProviderWebsocket {
  const websocket: HocuspocusProviderWebsocket = new HocuspocusProviderWebsocket({
    url: transport.editorsUrl,
    WebSocketPolyfill: transport.webSocket(PING),
    autoConnect: false,
    maxAttempts: 1,
    // A socket that could not be opened is closed, too.
    onClose: () => {
      websocket.shouldConnect = false;
      void open();
    },
  });
  const open = async () => {
    await transport.network.untilAttempt();
    // The server closes a socket that sends no token.
    await transport.untilToken(signal).catch(() => {});
    if (!signal.aborted) void websocket.connect();
  };
  void open();
  signal.addEventListener('abort', () => websocket.destroy());
  return websocket;
}
