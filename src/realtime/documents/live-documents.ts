import type { Document } from '@hocuspocus/server';
import type { Doc } from 'yjs';
import { applyStored, loadStored, withStored } from '../../features/crdt/log/load-stored.ts';
import { applyInParts } from '../../features/crdt/worker/apply-in-parts.ts';
import type { Database } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type {
  EditorFacts,
  LiveDocumentName,
  LiveDocuments,
} from '../../platform/live-documents.ts';
import type { LiveHocuspocus } from '../hocuspocus-internals.ts';
import { COMMITTED } from '../live-context.ts';
import { keyOf } from './document-names.ts';
import type { DocumentStore } from './document-store.ts';
import type { OpenDocument } from './open-document.ts';
import type { UpdateQueue } from './update-queue.ts';

/**
 * How long a caller waits for its edit to be stored while the database is away. The edit is in the
 * document by then, so it is stored later, as those of editors are.
 */
const COMMIT_TIMEOUT_MS = 5_000;

interface Parts {
  db: Database;
  hocuspocus: LiveHocuspocus;
  store: DocumentStore;
  queue: UpdateQueue;
  /** Whether other processes may have documents open that this one has not. */
  hasPeers: boolean;
}

/** Gives the rest of the product access to live documents. */
export class OpenedLiveDocuments implements LiveDocuments {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  factsOf(name: LiveDocumentName): EditorFacts | undefined {
    if (this.#parts.hasPeers) return undefined;
    const open = this.#find(name);
    if (open?.logId === undefined) return undefined;
    const { contentKey = null, contentType = null } = open.declared ?? {};
    return { contentKey, contentType, bytes: open.bytes, version: open.version };
  }

  edit(
    name: LiveDocumentName,
    version: number,
    author: string | undefined,
    make: (doc: Doc) => void,
  ): Promise<void> {
    const { store, queue } = this.#parts;
    const known = this.#find(name);
    // A change that waits for its commit keeps the document in memory.
    if (known && known.version >= version) return inTime(queue.change(known, { author, make }));
    return this.#withDocument(name, async (document) => {
      const open = store.find(document);
      if (!open) throw new AppError('NOT_FOUND', 'The document does not exist any more.');
      if (open.version < version) await this.#catchUp(open);
      await inTime(queue.change(open, { author, make }));
    });
  }

  async read<Result>(
    name: LiveDocumentName,
    version: number,
    read: (doc: Doc) => Result,
  ): Promise<Result> {
    const open = this.#find(name);
    if (open && open.version < version) await this.#catchUp(open);
    // The document may have been unloaded while it caught up.
    if (open && !open.document.isDestroyed) return read(open.document);
    return withStored(await loadStored(this.#parts.db, name), read);
  }

  /** Applies stored content, since commits of other processes may not have arrived yet. */
  async #catchUp(open: OpenDocument): Promise<void> {
    const stored = await loadStored(this.#parts.db, open.name);
    if (!stored || open.document.isDestroyed) return;
    if (open.logId !== undefined && stored.logId !== open.logId) return;
    open.document.transact(() => applyStored(open.document, stored), COMMITTED);
    open.version = Math.max(open.version, Number(stored.version));
  }

  async settle(name: LiveDocumentName): Promise<void> {
    const open = this.#find(name);
    if (open?.hasUnsaved) await inTime(open.whenSettled());
  }

  async merge(
    name: LiveDocumentName,
    parts: readonly Uint8Array[],
    version: number,
  ): Promise<void> {
    const { hocuspocus, store, hasPeers } = this.#parts;
    const key = keyOf(name);
    // A document that loads here is synchronized with other processes that have it open.
    if (!hocuspocus.isOpen(key) && !hasPeers) return;
    await this.#withDocument(name, async (document) => {
      await applyInParts(document, parts, COMMITTED, () => !document.isDestroyed);
      const open = store.find(document);
      if (open?.version === version - 1) open.version = version;
    });
  }

  /** Returns the document if it is open. */
  #find(name: LiveDocumentName): OpenDocument | undefined {
    const document = this.#parts.hocuspocus.documents.get(keyOf(name));
    return document && this.#parts.store.find(document);
  }

  /** Runs `use` on a document, which stays in memory for that time and a little longer. */
  async #withDocument<Result>(
    name: LiveDocumentName,
    use: (document: Document) => Promise<Result>,
  ): Promise<Result> {
    const direct = await this.#parts.hocuspocus.openDirectConnection(keyOf(name));
    try {
      if (!direct.document) throw new Error('A direct connection came without its document.');
      return await use(direct.document);
    } finally {
      // The caller does not wait for storing and unloading, which may wait for Redis.
      direct.disconnect({ unloadImmediately: false }).catch(() => undefined);
    }
  }
}

/** @throws UNAVAILABLE when it takes too long. */
function inTime(work: Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(notStoredYet()), COMMIT_TIMEOUT_MS);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

const notStoredYet = () =>
  new AppError('UNAVAILABLE', 'The change could not be stored in time. Try again.');
