import { AppError } from '../../platform/errors.ts';
import type {
  LiveChange,
  LiveDocumentName,
  LiveDocuments,
  StoredState,
  UpdateInParts,
} from '../../platform/live-documents.ts';
import { waitFor } from '../../platform/wait-for.ts';
import { keyOf } from '../document-names.ts';
import type { LiveHocuspocus } from '../hocuspocus-internals.ts';
import type { DocumentStore } from './document-store.ts';
import type { KeptDocuments } from './kept-documents.ts';
import type { OpenDocument } from './open-document.ts';
import type { UpdateQueue } from './update-queue.ts';

/**
 * How long a caller waits for edits to be stored while the database is unreachable. After this time, the
 * call fails, but the edits stay pending, and are stored later.
 */
const COMMIT_TIMEOUT_MS = 5_000;

interface Dependencies {
  hocuspocus: LiveHocuspocus;
  store: DocumentStore;
  queue: UpdateQueue;
  keptDocuments: KeptDocuments;
  /** Sends an edit to the processes that have a document open, by the key of the document. */
  publishUpdate: (key: string, update: Uint8Array) => void;
}

/** Gives the rest of the product access to live documents. */
export class OpenedLiveDocuments implements LiveDocuments {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  storedSizeOf(name: LiveDocumentName): number | undefined {
    const openDoc = this.#find(name);
    return openDoc?.logId === undefined ? undefined : openDoc.logLength.storedBytes;
  }

  async edit(name: LiveDocumentName, change: LiveChange): Promise<void> {
    const { queue, keptDocuments } = this.#deps;
    const openDoc = this.#find(name) ?? (await this.#open(name));
    keptDocuments.keep(openDoc);
    await requireInTime(queue.addChange(openDoc, change), 'The change');
  }

  async settle(name: LiveDocumentName): Promise<void> {
    const openDoc = this.#find(name);
    if (openDoc) await requireInTime(this.#deps.queue.settle(openDoc), 'An earlier edit');
  }

  async merge(
    name: LiveDocumentName,
    change: UpdateInParts,
    { logId, version }: StoredState,
  ): Promise<void> {
    const key = keyOf(name);
    if (!this.#deps.hocuspocus.isOpen(key)) return this.#deps.publishUpdate(key, change.update);
    const openDoc = this.#find(name) ?? (await this.#open(name));
    // The document in memory may be an earlier one that was deleted. It does not get the change.
    if (!openDoc.adoptLog(logId)) return;
    await openDoc.partsApplier.apply(change.parts, { whole: change.update });
    // If versions in between are missing, they are read from the log later, together with this one.
    if (openDoc.version === version - 1) openDoc.version = version;
  }

  /** Returns the document if it is open. */
  #find(name: LiveDocumentName): OpenDocument | undefined {
    const document = this.#deps.hocuspocus.documents.get(keyOf(name));
    return document && this.#deps.store.find(document);
  }

  /** Opens a document, which stays in memory for at least one turn of the event loop. */
  async #open(name: LiveDocumentName): Promise<OpenDocument> {
    const openDoc = this.#deps.store.find(await this.#deps.hocuspocus.open(keyOf(name)));
    if (!openDoc) throw new AppError('NOT_FOUND', 'The document no longer exists.');
    return openDoc;
  }
}

/** Waits until the work is done, for a limited time. @throws UNAVAILABLE when it takes longer. */
async function requireInTime(work: Promise<void>, what: string): Promise<void> {
  const isDone = work.then(() => true);
  if (await waitFor(isDone, COMMIT_TIMEOUT_MS)) return;
  throw new AppError('UNAVAILABLE', `${what} could not be stored in time. Try again.`);
}
