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
import { COMMITTED } from '../live-context.ts';
import type { LiveHocuspocus } from '../live-hocuspocus.ts';
import { keyOf } from './document-names.ts';
import type { DocumentStore } from './document-store.ts';
import type { OpenDocument } from './open-document.ts';
import type { UpdateQueue } from './update-queue.ts';

/** How long a caller waits for its edit to be stored while the database is away. */
const COMMIT_TIMEOUT_MS = 10_000;

interface Parts {
  db: Database;
  hocuspocus: LiveHocuspocus;
  store: DocumentStore;
  queue: UpdateQueue;
  /** Whether other processes may have documents open that this one has not. */
  hasPeers: boolean;
}

/** Live documents for the rest of the product. */
export class OpenedLiveDocuments implements LiveDocuments {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  factsOf(name: LiveDocumentName): EditorFacts | undefined {
    if (this.#parts.hasPeers) return undefined;
    const document = this.#parts.hocuspocus.documents.get(keyOf(name));
    const open = document && this.#parts.store.find(document);
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
    const { hocuspocus, store, db } = this.#parts;
    const document = hocuspocus.documents.get(keyOf(name));
    const open = document && store.find(document);
    if (open && open.version < version) await this.#catchUp(open);
    // It leaves memory when all of it is stored, perhaps while it was to catch up.
    if (open && !open.document.isDestroyed) return read(open.document);
    return withStored(await loadStored(db, name), read);
  }

  /** What others have committed may still be on its way to this process. */
  async #catchUp(open: OpenDocument): Promise<void> {
    const stored = await loadStored(this.#parts.db, open.name);
    if (!stored || open.document.isDestroyed) return;
    if (open.logId !== undefined && stored.logId !== open.logId) return;
    open.document.transact(() => applyStored(open.document, stored), COMMITTED);
    open.version = Math.max(open.version, Number(stored.version));
  }

  async settle(name: LiveDocumentName): Promise<void> {
    const document = this.#parts.hocuspocus.documents.get(keyOf(name));
    const open = document && this.#parts.store.find(document);
    if (open?.hasUnsaved) await inTime(open.whenSettled());
  }

  async merge(
    name: LiveDocumentName,
    parts: readonly Uint8Array[],
    version: number,
  ): Promise<void> {
    const { hocuspocus, store, hasPeers } = this.#parts;
    const key = keyOf(name);
    const isOpen = hocuspocus.documents.has(key) || hocuspocus.loadingDocuments.has(key);
    // Loading it here brings it to the other processes, which compare notes with whoever loads.
    if (!isOpen && !hasPeers) return;
    await this.#withDocument(name, async (document) => {
      await applyInParts(document, parts, COMMITTED, () => !document.isDestroyed);
      const open = store.find(document);
      if (open?.version === version - 1) open.version = version;
    });
  }

  /** Keeps the document in memory while it is used, and for a little while after. */
  async #withDocument<Result>(
    name: LiveDocumentName,
    use: (document: Document) => Promise<Result>,
  ): Promise<Result> {
    const direct = await this.#parts.hocuspocus.openDirectConnection(keyOf(name));
    try {
      if (!direct.document) throw new Error('A direct connection came without its document.');
      return await use(direct.document);
    } finally {
      // Lets go at once, stores and unloads later: that would wait for Redis, and nobody need wait.
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
