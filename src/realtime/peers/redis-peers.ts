import { Redis as RedisExtension } from '@hocuspocus/extension-redis';
import type {
  afterLoadDocumentPayload,
  Document,
  onAwarenessUpdatePayload,
  onChangePayload,
} from '@hocuspocus/server';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import {
  asRedisOfExtension,
  awarenessPayload,
  changePayload,
  type LiveHocuspocus,
  replyChannel,
} from '../hocuspocus-internals.ts';
import { waitFor } from '../wait.ts';
import { PeerRegister } from './peer-register.ts';
import { connectRedisPair, type RedisPair } from './redis-pair.ts';

const PREFIX = 'live-documents';
/** The longest wait for other processes to send their state of a document that opens here. */
const JOIN_MS = 1_500;

interface Parts {
  log: Logger;
  metrics: Metrics;
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
  readonly #parts: Parts;
  readonly #pair: RedisPair;
  readonly #register: PeerRegister;
  #isConnected = false;
  #stopped = false;

  constructor(url: string, parts: Parts) {
    const pair = connectRedisPair(url, parts);
    // The extension creates a client for publishing, and then one for subscribing.
    const clients = [pair.pub, pair.sub];
    super({ prefix: PREFIX, createClient: () => asRedisOfExtension(clients.shift() ?? pair.sub) });
    this.#parts = parts;
    this.#pair = pair;
    this.#register = new PeerRegister({
      ...parts,
      ...pair,
      ownId: this.configuration.identifier,
      channelOf: (id) => replyChannel(PREFIX, id),
      onGone: parts.onPeerGone,
    });
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
      this.#parts.log.warn({ err: error }, 'A document is cut off from other processes.');
    });
    if (this.#isConnected) await waitFor(joined, JOIN_MS);
  }

  override async onChange(payload: onChangePayload): Promise<void> {
    if (this.#isConnected) await super.onChange(payload);
  }

  override async onAwarenessUpdate(payload: onAwarenessUpdatePayload): Promise<void> {
    if (this.#isConnected) await super.onAwarenessUpdate(payload);
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
    for (const document of this.#parts.hocuspocus.documents.values()) this.#announce(document);
    this.#parts.onReconnected();
  }

  /** Publishes the state of the document, as after a change. */
  #announce(document: Document): void {
    void super.onChange(changePayload(document));
    void super.onAwarenessUpdate(awarenessPayload(document));
  }
}
