import { Redis as RedisExtension } from '@hocuspocus/extension-redis';
import {
  type afterLoadDocumentPayload,
  type Document,
  IncomingMessage,
  isTransactionOrigin,
  MessageType,
  OutgoingMessage,
  type onAwarenessUpdatePayload,
  type onChangePayload,
} from '@hocuspocus/server';
import { applyAwarenessUpdate } from 'y-protocols/awareness';
import type { Services } from '../../api/context.ts';
import { waitFor } from '../../platform/wait-for.ts';
import {
  asRedisOfExtension,
  awarenessPayload,
  changePayload,
  documentChannel,
  type LiveHocuspocus,
  messageOf,
  replyChannel,
  shownClients,
} from '../hocuspocus-internals.ts';
import { connectionsTo } from '../live-connection.ts';
import { readAwareness, writeAwareness } from '../presence/awareness-message.ts';
import { splitAddress } from '../sockets/addressed-message.ts';
import { PeerRegister } from './peer-register.ts';
import { connectRedisPair, type RedisPair } from './redis-pair.ts';

const PREFIX = 'live-documents';
/** The longest wait for other processes to send their state of a document that opens here. */
const JOIN_MS = 1_500;

interface Dependencies extends Pick<Services, 'log' | 'metrics'> {
  hocuspocus: LiveHocuspocus;
  /** Called when a process is gone, which may have broadcast edits without storing them. */
  onPeerGone: () => void;
  /** Called when Redis is back, since edits of other processes may have been missed. */
  onReconnected: () => void;
}

/**
 * Synchronizes documents between processes. Channels are named by document keys, which include the
 * tenant. While Redis is unreachable each process works alone, and they synchronize when it is
 * back.
 */
export class RedisPeers extends RedisExtension {
  readonly #deps: Dependencies;
  readonly #pair: RedisPair;
  readonly #register: PeerRegister;
  #isConnected = false;
  #stopped = false;

  constructor(url: string, deps: Dependencies) {
    const pair = connectRedisPair(url, deps);
    // The extension creates a client for publishing, and then one for subscribing.
    const clients = [pair.pub, pair.sub];
    super({ prefix: PREFIX, createClient: () => asRedisOfExtension(clients.shift() ?? pair.sub) });
    this.#deps = deps;
    this.#pair = pair;
    this.#register = new PeerRegister({
      ...deps,
      ...pair,
      ownId: this.configuration.identifier,
      channelOf: (id) => replyChannel(PREFIX, id),
      onGone: deps.onPeerGone,
    });
    pair.sub.on('messageBuffer', (_channel: Buffer, message: Buffer) =>
      this.#receiveRemoved(message),
    );
    for (const redis of [pair.pub, pair.sub]) {
      redis.on('ready', () => void this.#resync());
      redis.on('close', () => {
        this.#isConnected = false;
      });
    }
  }

  /** Every update is in the log, so processes need no lock for storing. */
  override async onStoreDocument(): Promise<void> {}
  override async afterStoreDocument(): Promise<void> {}

  /** Documents open without Redis too, and are synchronized when it is back. */
  override async afterLoadDocument(payload: afterLoadDocumentPayload): Promise<void> {
    const joined = super.afterLoadDocument(payload).catch((error: unknown) => {
      if (this.#stopped) return;
      this.#deps.log.warn({ err: error }, 'A document is cut off from other processes.');
    });
    if (this.#isConnected) await waitFor(joined, JOIN_MS);
  }

  override async onChange(payload: onChangePayload): Promise<void> {
    if (this.#isConnected) await super.onChange(payload);
  }

  override async onAwarenessUpdate(payload: onAwarenessUpdatePayload): Promise<void> {
    if (!this.#isConnected) return;
    const { document, added, updated, removed, transactionOrigin } = payload;
    // Without an origin, Hocuspocus removes the states of a closed connection.
    const source = isTransactionOrigin(transactionOrigin) ? transactionOrigin.source : 'closed';
    if (added.length + updated.length > 0) await super.onAwarenessUpdate(payload);
    // Each process removes by itself the states that it shows for REST (`local`).
    const isOwn = source !== 'redis' && source !== 'local';
    if (isOwn && removed.length > 0) await this.#publishRemoved(payload);
    if (source !== 'redis') return;
    // A client with a newer state elsewhere has moved there: it stays when its old connection ends here.
    for (const connection of connectionsTo(document)) {
      for (const client of updated) shownClients(document, connection).delete(client);
    }
  }

  /**
   * Publishes that clients are gone, so that others do not show them until their states expire. The
   * extension publishes nothing once the last user has left the document in this process.
   */
  async #publishRemoved({ documentName, awareness, removed }: onAwarenessUpdatePayload) {
    const message = new OutgoingMessage(documentName);
    message.createAwarenessUpdateMessage(awareness, removed);
    await this.#pair.pub.publish(
      documentChannel(PREFIX, documentName),
      Buffer.concat([this.messagePrefix, message.toUint8Array()]),
    );
  }

  /** Removes clients that another process reports as gone, since the extension drops such reports. */
  #receiveRemoved(message: Buffer): void {
    const { address, rest } = splitAddress(messageOf(message));
    const document = this.#deps.hocuspocus.documents.get(address);
    if (rest[0] !== MessageType.Awareness || !document) return;
    const states = new IncomingMessage(rest.subarray(1)).readVarUint8Array();
    const removed = readAwareness(states).filter(({ state }) => state === null);
    if (removed.length === 0) return;
    applyAwarenessUpdate(document.awareness, writeAwareness(removed), this.redisTransactionOrigin);
  }

  override async onDestroy(): Promise<void> {
    this.#stopped = true;
    const registerStopped = this.#register.stop();
    // The extension sends QUIT to Redis, which may not answer.
    await super.onDestroy().catch(() => undefined);
    for (const redis of Object.values(this.#pair)) redis.disconnect();
    await registerStopped;
  }

  /** Publishes all open documents, since edits were not exchanged while Redis was unreachable. */
  async #resync(): Promise<void> {
    const { pub, sub } = this.#pair;
    if (pub.status !== 'ready' || sub.status !== 'ready') return;
    // Redis answers in order, so this ping resolves once every channel is subscribed again.
    await sub.ping().catch(() => undefined);
    if (this.#stopped || pub.status !== 'ready' || sub.status !== 'ready') return;
    this.#isConnected = true;
    for (const document of this.#deps.hocuspocus.documents.values()) this.#announce(document);
    this.#deps.onReconnected();
  }

  /** Publishes the state of the document, as after a change. */
  #announce(document: Document): void {
    void super.onChange(changePayload(document));
    void super.onAwarenessUpdate(awarenessPayload(document));
  }
}
