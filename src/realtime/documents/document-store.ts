import {
  type beforeUnloadDocumentPayload,
  type Document,
  type Extension,
  isTransactionOrigin,
  type onLoadDocumentPayload,
  type onStoreDocumentPayload,
} from '@hocuspocus/server';
import type { Doc } from 'yjs';
import { compactLog } from '../../features/crdt/compact-log.ts';
import type { HistoryContext } from '../../features/crdt/history/keep-history.ts';
import { loadTombstoneClients } from '../../features/crdt/log/client-owners.ts';
import { keepFormats, loadStored } from '../../features/crdt/log/load-stored.ts';
import { type LogTail, readLogTails } from '../../features/crdt/log/log-tail.ts';
import { fillDocument } from '../../features/crdt/worker/apply-in-parts.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { nameOf } from '../document-names.ts';
import type { LiveConnection } from '../live-connection.ts';
import { OpenDocument } from './open-document.ts';
import { originOf } from './parts-applier.ts';
import { applyUpTo, Reconciler, type ReconcilerDependencies } from './reconciler.ts';
import { COMMITTED } from './withheld-updates.ts';

/** Loads documents from the database when they open, and queues their updates for storing. */
export class DocumentStore implements Extension {
  readonly extensionName = 'document-store';
  readonly #deps: HistoryContext & ReconcilerDependencies;
  readonly #byKey = new Map<string, OpenDocument>();
  readonly #loading = new Map<string, Document>();
  readonly #reconciler: Reconciler;
  #isStopped = false;

  constructor(deps: HistoryContext & ReconcilerDependencies) {
    this.#deps = deps;
    this.#reconciler = new Reconciler(deps);
  }

  /** The documents in memory. */
  get all(): Iterable<OpenDocument> {
    return this.#byKey.values();
  }

  get isLoading(): boolean {
    return this.#loading.size > 0;
  }

  get size(): number {
    return this.#byKey.size;
  }

  find(document: Doc): OpenDocument | undefined {
    const openDoc = this.#byKey.get((document as Document).name);
    return openDoc?.document === document ? openDoc : undefined;
  }

  async onLoadDocument({ document, documentName }: onLoadDocumentPayload): Promise<void> {
    this.#loading.set(documentName, document);
    keepFormats(document);
    const name = nameOf(documentName);
    const [stored, deletedClients] = await Promise.all([
      loadStored(this.#deps.db, name),
      loadTombstoneClients(this.#deps.db, name),
    ]);
    if (stored) await fillDocument(this.#deps.workerPool, document, stored);
    const openDoc = new OpenDocument(name, document, { stored, deletedClients });
    this.#byKey.set(documentName, openDoc);
    document.on('update', (update, origin) => {
      openDoc.size.bytes += update.length;
      this.#queueUpdate(openDoc, update, origin);
    });
    openDoc.partsApplier.onPart = (change, origin) => this.#queueUpdate(openDoc, change, origin);
    document.on('afterAllTransactions', (_, transactions) => {
      const authors = transactions.flatMap(({ origin }) => authorOf(originOf(origin)) ?? []);
      openDoc.blockedEdits.update(authors.at(-1));
    });
    await this.#compactIfLong(openDoc);
  }

  async afterLoadDocument({ documentName }: { documentName: string }): Promise<void> {
    this.#loading.delete(documentName);
  }

  /** Only compacts the log, because the queue stores the updates. */
  async onStoreDocument({ document }: onStoreDocumentPayload): Promise<void> {
    const openDoc = this.find(document);
    if (openDoc && !this.#isStopped) await this.#compactIfLong(openDoc);
  }

  /** Reconciles the document when a client connects: a crashed process may not have stored the client's edits. */
  clientReturned({ document, readOnly }: LiveConnection): void {
    const openDoc = readOnly ? undefined : this.find(document);
    if (openDoc) void this.reconcile(openDoc);
  }

  /** Starts reconciling the document. Until this has ended, the document stays in memory. */
  async beforeUnloadDocument({ document }: beforeUnloadDocumentPayload): Promise<void> {
    const openDoc = this.find(document);
    if (openDoc) void this.reconcile(openDoc);
  }

  /** Reconciles all documents, one by one: a process that ended may have broadcast edits without storing them. */
  async reconcileAll(): Promise<void> {
    for (const openDoc of [...this.#byKey.values()]) await this.reconcile(openDoc);
  }

  /** Stores edits that the database lacks, if there may be any. */
  reconcile(openDoc: OpenDocument): Promise<void> | undefined {
    return this.#reconciler.reconcile(openDoc);
  }

  async afterUnloadDocument({ documentName }: { documentName: string }): Promise<void> {
    if (this.#byKey.get(documentName)?.document.isDestroyed) this.#byKey.delete(documentName);
  }

  /** Destroys a document that failed to load, which Hocuspocus leaves in memory with a timer. */
  discard(key: string): void {
    const document = this.#loading.get(key);
    this.#loading.delete(key);
    if (!document) return;
    if (this.#byKey.get(key)?.document === document) this.#byKey.delete(key);
    document.destroy();
  }

  stop(): void {
    this.#isStopped = true;
    this.#reconciler.stop();
  }

  /**
   * Queues an update for storing. Updates from the database are already stored, and other processes store their
   * own. Such an update is queued only if it unblocks edits that clients of this process have sent.
   */
  #queueUpdate(openDoc: OpenDocument, update: Uint8Array, origin: unknown): void {
    if (isFromPeer(origin)) openDoc.mayDiffer = true;
    const unblocked = isFromElsewhere(origin) ? openDoc.blockedEdits.unblockedEdit : undefined;
    if (isFromElsewhere(origin) && !unblocked) return;
    this.#deps.queue.addEdit(openDoc, { update, userId: unblocked?.userId ?? authorOf(origin) });
  }

  /** Applies the edits that other processes have stored. */
  async catchUp(documents: readonly OpenDocument[], db: Queryable = this.#deps.db): Promise<void> {
    if (documents.length === 0) return;
    for (const tail of await readLogTails(db, documents)) {
      const openDoc = documents[tail.position];
      if (openDoc) await this.#apply(openDoc, tail);
    }
  }

  async #apply(openDoc: OpenDocument, { logId, version, updates }: LogTail): Promise<void> {
    if (openDoc.document.isDestroyed) return;
    if (!openDoc.adoptLog(logId)) return;
    if (updates) {
      return applyUpTo(this.#deps.workerPool, openDoc, { snapshot: null, updates }, version);
    }
    // The edits were compacted into the snapshot, so the whole content is read.
    openDoc.mayDiffer = true;
    await this.reconcile(openDoc);
  }

  /** Compacts a long log. This only saves time, so a failure is only logged. */
  async #compactIfLong({ name, logLength }: OpenDocument): Promise<void> {
    if (!logLength.isLong) return;
    try {
      await logLength.compact(() => compactLog(this.#deps, name));
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'A log of updates could not be compacted.');
    }
  }
}

const isFromPeer = (origin: unknown): boolean =>
  isTransactionOrigin(origin) && origin.source === 'redis';

/** Whether an update comes from the database, or from another process that stores it. */
const isFromElsewhere = (origin: unknown): boolean => origin === COMMITTED || isFromPeer(origin);

/** Returns the user whose client sent an update; undefined when it came from elsewhere. */
const authorOf = (origin: unknown): string | undefined =>
  isTransactionOrigin(origin) && origin.source === 'connection'
    ? (origin.connection as LiveConnection).session.userId
    : undefined;
