import type { Services } from '../api/context.ts';
import { waitFor } from '../platform/wait-for.ts';
import type { AccessWatch } from './access/access-watch.ts';
import {
  type AuthenticationDependencies,
  authenticateConnection,
  toRefusal,
} from './access/authenticate-connection.ts';
import type { ConnectionLimits } from './access/connection-limits.ts';
import { notifyStorageUsedUp } from './access/read-only.ts';
import { keyOf } from './document-names.ts';
import type { DocumentStore } from './documents/document-store.ts';
import type { LiveHocuspocus } from './hocuspocus-internals.ts';
import { LiveConnection, mayOnlyRead } from './live-connection.ts';
import { handleMessage } from './messages/handle-message.ts';
import { SyncResponder } from './messages/sync-responder.ts';
import { AwarenessGuard } from './presence/awareness-guard.ts';
import { AwarenessRelay } from './presence/awareness-relay.ts';
import type { ConnectedUsers } from './presence/connected-users.ts';
import { reloadPeople } from './presence/reload-people.ts';
import { closeEventFor, REFUSED, Refusal } from './refusal.ts';
import type { DocumentChannel } from './sockets/document-channel.ts';

/** How long messages may still be handled after their socket was closed. A worker thread may have to start first. */
const LAST_MESSAGES_MS = 10_000;

interface Dependencies
  extends AuthenticationDependencies,
    Pick<Services, 'metrics' | 'workerPool'> {
  hocuspocus: LiveHocuspocus;
  watch: AccessWatch;
  store: DocumentStore;
  connectedUsers: ConnectedUsers;
  limits: ConnectionLimits;
}

/**
 * Opens the connections of editors to documents, instead of Hocuspocus, which would identify a document only by
 * the name in a client's message. Two tenants may use the same name.
 */
export class Connections {
  readonly #deps: Dependencies;
  readonly #relay: AwarenessRelay;
  readonly #messageDeps: Parameters<typeof handleMessage>[0];
  #count = 0;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    const guard = new AwarenessGuard();
    this.#relay = new AwarenessRelay(guard);
    const syncResponder = new SyncResponder(deps);
    this.#messageDeps = { ...deps, guard, relay: this.#relay, syncResponder };
  }

  /**
   * Opens a document for a client with a token.
   *
   * @returns a promise that resolves once the connection has ended, or was refused
   */
  async open(channel: DocumentChannel, token: string): Promise<void> {
    try {
      await this.#open(channel, token);
    } catch (error) {
      const { reason } = toRefusal(this.#deps, error, channel.socket);
      channel.socket.emit(REFUSED, reason);
      channel.refuse(reason);
    }
  }

  async #open(channel: DocumentChannel, token: string): Promise<void> {
    const { hocuspocus, limits, watch } = this.#deps;
    const { name, outbox } = channel;
    if (!outbox.isOpen) return;
    const session = await authenticateConnection(this.#deps, channel, token, watch.accessChanges);
    const requireRoom = () => {
      if (limits.isFull(name, session)) throw new Refusal(closeEventFor('RESOURCE_EXHAUSTED'));
    };
    requireRoom();
    outbox.assignUser(JSON.stringify([name.tenantId, session.userId]));
    channel.admit(mayOnlyRead(session));
    const document = await hocuspocus.open(keyOf(name));
    // Others may have connected while the document was being loaded.
    requireRoom();
    if (!outbox.isOpen) return;
    const connection = new LiveConnection(document, channel, session);
    const closed = new Promise<void>((resolve) => connection.onClose(() => resolve()));
    await this.#start(connection);
    await closed;
  }

  async #start(connection: LiveConnection): Promise<void> {
    const { connectedUsers, limits, watch } = this.#deps;
    const { channel, session } = connection;
    connection.onClose(() => this.#onClosed(connection));
    channel.onSocketClosed = async (event) => {
      // The last edits may have arrived just before the client closed its socket.
      const { handled } = channel;
      if (handled !== undefined) await waitFor(handled, LAST_MESSAGES_MS);
      connection.close(event);
    };
    connectedUsers.join(channel.name, session);
    limits.add(channel.name, session);
    this.#setCount(this.#count + 1);
    channel.startHandling((message) => handleMessage(this.#messageDeps, connection, message));
    if (session.isEditor && session.isStorageUsedUp) notifyStorageUsedUp(connection);
    // Access and profile are read again if they may have changed while the document was loaded.
    if (session.accessChanges !== watch.accessChanges) await this.#recheck(connection);
  }

  /** Reads access and profile again. If that fails, closes the connection, so that the client tries again. */
  async #recheck(connection: LiveConnection): Promise<void> {
    const { channel, document, session } = connection;
    try {
      await this.#deps.watch.recheckDocument(document);
      await reloadPeople(this.#deps.db, channel.name.tenantId, [session]);
    } catch (error) {
      const { code, reason } = toRefusal(this.#deps, error, channel.socket);
      connection.close({ code, reason });
    }
  }

  #onClosed({ channel, document, session }: LiveConnection): void {
    const { connectedUsers, hocuspocus, limits } = this.#deps;
    connectedUsers.leave(channel.name, session);
    this.#relay.forget(document.name, session);
    limits.delete(channel.name, session);
    this.#setCount(this.#count - 1);
    hocuspocus.connectionClosed(document);
  }

  #setCount(count: number): void {
    this.#count = count;
    this.#deps.metrics.liveConnections.set(count);
  }
}
