import { Redis as RedisExtension } from '@hocuspocus/extension-redis';
import type {
  afterLoadDocumentPayload,
  Document,
  onAwarenessUpdatePayload,
  onChangePayload,
} from '@hocuspocus/server';
import type { Redis } from 'ioredis';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { LiveHocuspocus } from '../live-hocuspocus.ts';
import { wait } from '../wait.ts';
import { PeerRegister } from './peer-register.ts';
import { connectRedisPair, type RedisPair } from './redis-pair.ts';

/** How long another process has to ask for our last edits before we go. */
export const FAREWELL_MS = 300;
const PREFIX = 'live-documents';
/** Longer than other processes have to send what they hold of a document that opens here. */
const JOIN_MS = 1_500;

interface Parts {
  log: Logger;
  metrics: Metrics;
  hocuspocus: LiveHocuspocus;
  /** A process is gone, and may not have stored what it has shown to this one. */
  onPeerGone: () => void;
  /** Redis is back; what other processes did meanwhile was not heard. */
  onReconnected: () => void;
}

/** The extension comes with its own version of ioredis, which differs in its types only. */
const asItsOwn = (redis: Redis) => redis as unknown as RedisExtension['pub'];

/**
 * Brings editors of one document on several processes together. The tenant is in the names of
 * documents, and so in the names of channels. While Redis is away each process goes on by itself,
 * and they compare notes when it is back.
 */
export class RedisPeers extends RedisExtension {
  readonly #parts: Parts;
  readonly #pair: RedisPair;
  readonly #register: PeerRegister;
  #isConnected = false;
  #stopped = false;

  constructor(url: string, parts: Parts) {
    const pair = connectRedisPair(url, parts);
    const clients = [pair.pub, pair.sub];
    super({ prefix: PREFIX, createClient: () => asItsOwn(clients.shift() ?? pair.sub) });
    this.#parts = parts;
    this.#pair = pair;
    this.#register = new PeerRegister({
      ...pair,
      ownId: this.configuration.identifier,
      channelOf: (id) => `${PREFIX}#reply:${id}`,
      onGone: parts.onPeerGone,
    });
    for (const redis of [pair.pub, pair.sub]) {
      redis.on('ready', () => void this.#resync());
      redis.on('close', () => {
        this.#isConnected = false;
      });
    }
  }

  /** Every update is in the log, so nobody need take turns at storing. */
  override async onStoreDocument(): Promise<void> {}
  override async afterStoreDocument(): Promise<void> {}

  /** Without Redis documents open as well; they join the others when it is back. */
  override async afterLoadDocument(payload: afterLoadDocumentPayload): Promise<void> {
    const joined = super.afterLoadDocument(payload).catch((error: unknown) => {
      if (this.#stopped) return;
      this.#parts.log.warn({ err: error }, 'A document is cut off from other processes.');
    });
    if (!this.#isConnected) return;
    const done = new AbortController();
    await Promise.race([joined, wait(JOIN_MS, done.signal)]);
    done.abort();
  }

  override async onChange(payload: onChangePayload): Promise<void> {
    if (this.#isConnected) await super.onChange(payload);
  }

  override async onAwarenessUpdate(payload: onAwarenessUpdatePayload): Promise<void> {
    if (this.#isConnected) await super.onAwarenessUpdate(payload);
  }

  override async onDestroy(): Promise<void> {
    this.#stopped = true;
    this.#register.stop();
    // It says goodbye to Redis, which may not answer.
    await super.onDestroy().catch(() => undefined);
    for (const redis of Object.values(this.#pair)) redis.disconnect();
  }

  /** What was edited on either side while Redis was away has been told to nobody. */
  async #resync(): Promise<void> {
    const { pub, sub } = this.#pair;
    if (pub.status !== 'ready' || sub.status !== 'ready') return;
    // Answered in turn, so after every channel is subscribed to again.
    await sub.ping().catch(() => undefined);
    if (this.#stopped || pub.status !== 'ready' || sub.status !== 'ready') return;
    this.#isConnected = true;
    for (const document of this.#parts.hocuspocus.documents.values()) this.#announce(document);
    this.#parts.onReconnected();
  }

  /** The extension looks at these fields only, and publishes what the document holds. */
  #announce(document: Document): void {
    const { name: documentName, awareness } = document;
    const payload = { documentName, document, awareness };
    void super.onChange(payload as unknown as onChangePayload);
    const added = [...awareness.getStates().keys()];
    void super.onAwarenessUpdate({
      ...payload,
      added,
      updated: [],
      removed: [],
    } as unknown as onAwarenessUpdatePayload);
  }
}
