import {
  type Document,
  isTransactionOrigin,
  type RedisTransactionOrigin,
} from '@hocuspocus/server';
import type { Redis } from 'ioredis';
import { applyAwarenessUpdate, encodeAwarenessUpdate } from 'y-protocols/awareness';
import { applyUpdate, encodeStateVector, mergeUpdates, parseUpdateMeta } from 'yjs';
import type { Services } from '../../api/context.ts';
import { MAX_BYTES_AT_ONCE } from '../../features/crdt/worker/apply-in-parts.ts';
import { splitInWorker } from '../../features/crdt/worker/run-job.ts';
import { connectRedis } from '../../platform/redis.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { encodeInTurns } from '../documents/encode-in-turns.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import { shownClients } from '../hocuspocus-internals.ts';
import { connectionsTo } from '../live-connection.ts';
import { decodeMessage, encodeMessage, type PeerMessage } from './peer-message.ts';
import { PeerMonitor } from './peer-monitor.ts';

const FROM_PEER: RedisTransactionOrigin = { source: 'redis' };

/** The channel on which processes exchange edits and awareness of a document. */
const documentChannel = (key: string): string => `collaboration:document:${key}`;
/** The channel for messages to one process. The process listens to it for as long as it runs. */
const processChannel = (id: string): string => `collaboration:process:${id}`;

interface Dependencies extends Pick<Services, 'db' | 'log' | 'metrics' | 'workerPool'> {
  store: DocumentStore;
  /** Called when a process has ended. It may have published edits without storing them. */
  onPeerGone: () => void;
  /** Called as soon as this process receives edits of these documents. It may have missed earlier edits. */
  onSubscribed: (documents: readonly OpenDocument[]) => void;
}

/** The changes of a document in this turn of the event loop. */
interface Changes {
  updates: Uint8Array[];
  /** The Yjs clients whose awareness has changed. */
  clients: Set<number>;
}

/**
 * Exchanges edits and awareness of open documents with other processes through Redis. While Redis is
 * unreachable, each process works by itself. When Redis is back, and when a document opens, each process
 * requests what it lacks.
 */
export class RedisPeers {
  readonly #deps: Dependencies;
  readonly #pub: Redis;
  readonly #sub: Redis;
  readonly #monitor: PeerMonitor;
  /** The documents that are open here, by key. */
  readonly #documents = new Map<string, Document>();
  #changes = new Map<Document, Changes>();
  /** For each document, resolves once all edits that other processes have sent so far are applied. */
  readonly #applied = new WeakMap<Document, Promise<void>>();

  constructor(url: string, deps: Dependencies) {
    const connect = (connection: string, options: Parameters<typeof connectRedis>[2]) => {
      const onChange = (isReachable: boolean) =>
        deps.metrics.redisUp.set({ connection }, Number(isReachable));
      return connectRedis(url, { log: deps.log, onChange }, options);
    };
    this.#deps = deps;
    this.#pub = connect('publish', { enableOfflineQueue: false });
    // Subscriptions wait for Redis without a limit.
    this.#sub = connect('subscribe', { commandTimeout: undefined, maxRetriesPerRequest: null });
    this.#sub.on(
      'messageBuffer',
      (channel: Buffer, message: Buffer) => void this.#receive(channel.toString(), message),
    );
    for (const redis of [this.#pub, this.#sub]) redis.on('ready', () => this.#reconnected());
    this.#monitor = new PeerMonitor({
      ...deps,
      countListeners: (ids) => this.#countListeners(ids),
      onGone: deps.onPeerGone,
    });
  }

  /** Exchanges edits and awareness of a document until it is destroyed. */
  join(document: Document): void {
    const { name: key, awareness } = document;
    this.#documents.set(key, document);
    document.on('update', (update, origin) => {
      if (origin !== FROM_PEER) this.#changesOf(document).updates.push(update);
    });
    awareness.on('update', (changed: ChangedClients, origin: unknown) =>
      this.#awarenessChanged(document, changed, origin),
    );
    document.on('destroy', () => {
      if (this.#documents.get(key) !== document) return;
      this.#documents.delete(key);
      this.#sub.unsubscribe(documentChannel(key)).catch(() => undefined);
    });
    void this.#subscribe([document]);
  }

  /** Sends an edit to the processes that have the document open. */
  publishUpdate(key: string, update: Uint8Array): void {
    this.#send(documentChannel(key), { kind: 'update', key, content: update });
  }

  async stop(): Promise<void> {
    for (const redis of [this.#pub, this.#sub]) redis.disconnect();
    await this.#monitor.stop();
  }

  #reconnected(): void {
    if (this.#pub.status !== 'ready' || this.#sub.status !== 'ready') return;
    void this.#subscribe([...this.#documents.values()]);
  }

  /** Listens to the channels of documents, and then asks other processes for what is missing here. */
  async #subscribe(documents: Document[]): Promise<void> {
    const channels = documents.map(({ name }) => documentChannel(name));
    try {
      await this.#sub.subscribe(processChannel(this.#deps.db.id), ...channels);
    } catch (error) {
      // A subscription waits while Redis is unreachable. It fails if Redis refuses it, or this process stops.
      if (this.#sub.status === 'end') return;
      this.#deps.log.warn({ err: error }, 'Documents are not exchanged with other processes.');
      return;
    }
    const { store, onSubscribed } = this.#deps;
    onSubscribed(documents.flatMap((document) => store.find(document) ?? []));
    for (const document of documents) this.#request(documentChannel(document.name), document);
  }

  #awarenessChanged(
    document: Document,
    { added, updated, removed }: ChangedClients,
    origin: unknown,
  ): void {
    const source = isTransactionOrigin(origin) ? origin.source : undefined;
    if (source === 'redis') {
      // A Yjs client with a newer state from another process has moved there. Remove it from its old
      // connection here, so that its state stays when this connection closes.
      for (const connection of connectionsTo(document)) {
        for (const client of updated) shownClients(document, connection).delete(client);
      }
    } else if (source !== 'local') {
      // States with the source `local` show presence set through REST. They are not sent, since each process
      // shows them by itself.
      const { clients } = this.#changesOf(document);
      for (const client of [...added, ...updated, ...removed]) clients.add(client);
    }
  }

  /** Returns the changes of this turn of the event loop, which are published at its end. */
  #changesOf(document: Document): Changes {
    if (this.#changes.size === 0) setImmediate(() => this.#publishChanges());
    const changes = this.#changes.get(document) ?? { updates: [], clients: new Set() };
    this.#changes.set(document, changes);
    return changes;
  }

  #publishChanges(): void {
    const changed = this.#changes;
    this.#changes = new Map();
    for (const [document, { updates, clients }] of changed) {
      if (updates.length > 0) this.publishUpdate(document.name, mergeUpdates(updates));
      this.#sendAwareness(documentChannel(document.name), document, clients);
    }
  }

  async #receive(channel: string, message: Buffer): Promise<void> {
    try {
      const { kind, key, sender, content } = decodeMessage(message);
      const document = this.#documents.get(key);
      if (!document || sender === this.#deps.db.id) return;
      if (kind === 'update') {
        this.#monitor.add(sender);
        await this.#applyNext(document, content);
      } else if (kind === 'awareness') {
        applyAwarenessUpdate(document.awareness, content, FROM_PEER);
      } else {
        const toAll = channel === documentChannel(key);
        await this.#reply(document, { sender, stateVector: content, toAll });
      }
    } catch (error) {
      this.#deps.log.warn({ err: error, channel }, 'A message from another process was ignored.');
    }
  }

  /** Applies an edit after all earlier ones, to which it may refer. A large one takes several turns. */
  #applyNext(document: Document, update: Uint8Array): Promise<void> {
    const before = this.#applied.get(document) ?? Promise.resolve();
    const applied = before.then(() => this.#apply(document, update));
    this.#applied.set(
      document,
      applied.catch(() => undefined),
    );
    return applied;
  }

  /**
   * Applies an edit, a large one in parts, so that no edit blocks this process for long. Edits of deleted
   * content are dropped: another process may send them until it notices the deletion.
   */
  async #apply(document: Document, update: Uint8Array): Promise<void> {
    const openDoc = this.#deps.store.find(document);
    if (update.length <= MAX_BYTES_AT_ONCE) {
      // The update is parsed here only if content of the document was deleted.
      const hasDeletions = openDoc !== undefined && openDoc.deletedClients.size > 0;
      if (hasDeletions && openDoc.mayRestoreDeleted(parseUpdateMeta(update).from.keys())) return;
      return applyUpdate(document, update, FROM_PEER);
    }
    const { parts, clocks } = await splitInWorker(this.#deps.workerPool, update);
    if (openDoc?.mayRestoreDeleted(clocks.keys())) return;
    await openDoc?.partsApplier.apply(parts, { whole: update, origin: FROM_PEER });
  }

  /** Sends a process what it lacks. If its request went to all, this process then requests what it lacks itself. */
  async #reply(
    document: Document,
    { sender, stateVector, toAll }: { sender: string; stateVector: Uint8Array; toAll: boolean },
  ): Promise<void> {
    const { name: key, awareness } = document;
    const channel = processChannel(sender);
    const content = await encodeInTurns(document, stateVector);
    // The content may include changes that are not stored yet. Editors must not receive them earlier.
    await this.#deps.store.find(document)?.staged.whenPublished();
    this.#send(channel, { kind: 'update', key, content });
    this.#sendAwareness(channel, document, awareness.getStates().keys());
    if (toAll) this.#request(channel, document);
  }

  #request(channel: string, document: Document): void {
    const content = encodeStateVector(document);
    this.#send(channel, { kind: 'request', key: document.name, content });
  }

  #sendAwareness(channel: string, document: Document, clients: Iterable<number>): void {
    const { name: key, awareness } = document;
    const known = [...clients].filter((client) => awareness.meta.has(client));
    if (known.length === 0) return;
    this.#send(channel, {
      kind: 'awareness',
      key,
      content: encodeAwarenessUpdate(awareness, known),
    });
  }

  /** Sends a message if Redis is reachable. Once Redis is back, processes ask for what they lack. */
  #send(channel: string, message: Omit<PeerMessage, 'sender'>): void {
    const sender = this.#deps.db.id;
    this.#pub.publish(channel, encodeMessage({ ...message, sender })).catch((error: unknown) => {
      this.#deps.log.debug({ err: error }, 'A message to other processes was lost.');
    });
  }

  async #countListeners(ids: string[]): Promise<number[]> {
    if (this.#pub.status !== 'ready') return [];
    const counts = await this.#pub.pubsub('NUMSUB', ...ids.map(processChannel));
    // Redis replies with each channel, followed by the number of its subscribers.
    return ids.map((_, index) => Number(counts[2 * index + 1]));
  }
}

/** The Yjs clients in an awareness event. */
interface ChangedClients {
  added: number[];
  updated: number[];
  removed: number[];
}
