import {
  type beforeUnloadDocumentPayload,
  type Document,
  type Extension,
  isTransactionOrigin,
  type onLoadDocumentPayload,
  type onStoreDocumentPayload,
} from '@hocuspocus/server';
import { type Doc, decodeUpdate, encodeStateAsUpdate, encodeStateVector } from 'yjs';
import { compactLog } from '../features/crdt/log/compact-log.ts';
import { applyStored, loadStored, withStored } from '../features/crdt/log/load-stored.ts';
import { loadBuried } from '../features/crdt/log/tombstones.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/logging.ts';
import { nameOf } from './document-names.ts';
import type { LiveContext } from './live-context.ts';
import { OpenDocument } from './open-document.ts';
import type { UpdateQueue } from './update-queue.ts';

/** A log longer than this is compacted into a snapshot. */
const MAX_LOG_UPDATES = 200;
const MAX_LOG_BYTES = 64 * 1024;

interface Parts {
  db: Database;
  log: Logger;
  queue: UpdateQueue;
}

/** Fills documents from the database as they open, and writes down what changes them. */
export class DocumentStore implements Extension<LiveContext> {
  readonly extensionName = 'document-store';
  readonly #parts: Parts;
  readonly #byKey = new Map<string, OpenDocument>();
  readonly #loading = new Map<string, Document>();
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The documents in memory. */
  get all(): Iterable<OpenDocument> {
    return this.#byKey.values();
  }

  get size(): number {
    return this.#byKey.size;
  }

  find(document: Doc): OpenDocument | undefined {
    const open = this.#byKey.get((document as Document).name);
    return open?.document === document ? open : undefined;
  }

  async onLoadDocument({ document, documentName }: onLoadDocumentPayload): Promise<void> {
    this.#loading.set(documentName, document);
    const name = nameOf(documentName);
    const [stored, buried] = await Promise.all([
      loadStored(this.#parts.db, name),
      loadBuried(this.#parts.db, name),
    ]);
    if (stored) applyStored(document, stored);
    const open = new OpenDocument(name, document, { stored, buried });
    this.#byKey.set(documentName, open);
    document.on('update', (update, origin) => this.#write(open, update, origin));
    if (isLong(open)) await this.#compact(open);
  }

  async afterLoadDocument({ documentName }: { documentName: string }): Promise<void> {
    this.#loading.delete(documentName);
  }

  /** Compaction only: every update is in the log by itself. */
  async onStoreDocument({ document }: onStoreDocumentPayload): Promise<void> {
    const open = this.find(document);
    if (open && !this.#stopped && isLong(open)) await this.#compact(open);
  }

  /**
   * A process that died may have shown its last edits to this one and not stored them; its clients
   * then find them here, and do not send them again. So this one stores what the database lacks.
   */
  async beforeUnloadDocument({ document }: beforeUnloadDocumentPayload): Promise<void> {
    const open = this.find(document);
    if (!open?.heardPeers || this.#stopped) return;
    const stored = await loadStored(this.#parts.db, open.name);
    open.heardPeers = false;
    const update = withStored(stored, (doc) =>
      encodeStateAsUpdate(document, encodeStateVector(doc)),
    );
    if (decodeUpdate(update).structs.length === 0) return;
    this.#parts.queue.add(open, { update, userId: undefined });
  }

  async afterUnloadDocument({ documentName }: { documentName: string }): Promise<void> {
    if (this.#byKey.get(documentName)?.document.isDestroyed) this.#byKey.delete(documentName);
  }

  /** Hocuspocus leaves a document behind that could not be loaded, with a timer that keeps it. */
  discard(key: string): void {
    const document = this.#loading.get(key);
    this.#loading.delete(key);
    if (!document) return;
    if (this.#byKey.get(key)?.document === document) this.#byKey.delete(key);
    document.destroy();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** What came from another process through Redis is that process's to write. */
  #write(open: OpenDocument, update: Uint8Array, origin: unknown): void {
    open.sizeBytes += update.length;
    if (!isTransactionOrigin(origin)) {
      this.#parts.queue.add(open, { update, userId: undefined });
      return;
    }
    if (origin.source === 'redis') {
      open.heardPeers = true;
      return;
    }
    const { context } = origin.source === 'connection' ? origin.connection : origin;
    const { session, author, committed } = (context ?? {}) as LiveContext;
    if (!committed) this.#parts.queue.add(open, { update, userId: session?.userId ?? author });
  }

  /** It is for speed alone, so it may fail: a later one will do. */
  async #compact(open: OpenDocument): Promise<void> {
    const { logUpdates, logBytes } = open;
    try {
      const snapshotBytes = await compactLog(this.#parts.db, open.name);
      open.logUpdates -= logUpdates;
      open.logBytes -= logBytes;
      open.snapshotBytes = snapshotBytes ?? open.snapshotBytes;
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'A log of updates could not be compacted.');
    }
  }
}

const isLong = ({ logUpdates, logBytes }: OpenDocument): boolean =>
  logUpdates > MAX_LOG_UPDATES || logBytes > MAX_LOG_BYTES;
