import type { Document } from '@hocuspocus/server';
import { newServerClient } from '../../features/crdt/client-ids.ts';
import type { StoredDocument } from '../../features/crdt/log/load-stored.ts';
import type { DeclaredContent, LiveDocumentName } from '../../platform/live-documents.ts';
import { BlockedEdits } from './blocked-edits.ts';
import { ClientOwners } from './client-owners.ts';
import { DocumentSize } from './document-size.ts';
import { LogLength } from './log-length.ts';
import { PartsApplier } from './parts-applier.ts';
import { PendingChanges } from './pending-changes.ts';
import { PendingEdits } from './pending-edits.ts';
import { StagedUpdates } from './staged-updates.ts';

/**
 * A document in memory, with what is not in the database yet: edits of clients, which are in the document
 * when they arrive, and changes of callers, which are made just before they are stored.
 */
export class OpenDocument {
  readonly name: LiveDocumentName;
  readonly document: Document;
  /** The root and type that the database declares for the content. */
  readonly declared: DeclaredContent;
  /** The id of the document's log; undefined until the log exists. */
  logId: string | undefined;
  /** Everything up to this version is in memory. */
  version: number;
  /** The time of the last event of the document that this process knows, in epoch milliseconds. */
  eventAt: number;
  readonly logLength: LogLength;
  readonly size: DocumentSize;
  readonly edits: PendingEdits;
  readonly changes: PendingChanges;
  /** Changes of callers that are made in memory and not stored yet. */
  readonly staged: StagedUpdates;
  readonly partsApplier: PartsApplier;
  readonly blockedEdits: BlockedEdits;
  /** The owner of each Yjs client of the document. */
  readonly owners = new ClientOwners();
  /** The Yjs clients of deleted content under this name. */
  readonly deletedClients: ReadonlySet<number>;
  /** A running comparison with the database, which may find edits that are not stored. */
  reconciling: Promise<void> | undefined;
  /** Whether memory and database may differ by edits of other processes. */
  mayDiffer = false;
  /** Whether a caller waits for a comparison that has not begun. */
  isComparisonDue = false;

  constructor(
    name: LiveDocumentName,
    document: Document,
    loaded: { stored: StoredDocument | undefined; deletedClients: readonly number[] },
  ) {
    const { stored, deletedClients } = loaded;
    this.name = name;
    this.document = document;
    this.declared = {
      contentKey: stored?.contentKey ?? null,
      contentType: stored?.contentType ?? null,
    };
    this.logId = stored?.logId;
    this.version = Number(stored?.version ?? 0);
    this.eventAt = stored?.eventAt?.getTime() ?? 0;
    this.logLength = new LogLength(stored);
    this.deletedClients = new Set(deletedClients);
    // A new Yjs client id: an earlier commit, whose outcome may be unknown, must not have used it.
    document.clientID = newServerClient();
    this.size = new DocumentSize(document, this.logLength.storedBytes);
    this.edits = new PendingEdits(document, this.size);
    this.staged = new StagedUpdates(document);
    this.changes = new PendingChanges(this);
    this.partsApplier = new PartsApplier(document);
    this.blockedEdits = new BlockedEdits(document);
  }

  /** Whether there are edits or changes that are in no transaction yet. */
  get hasWaitingWork(): boolean {
    return this.edits.areWaiting || this.changes.areWaiting;
  }

  /** How many edits and changes are not committed. */
  get unsavedCount(): number {
    return this.edits.unsettledCount + this.changes.unsettledCount;
  }

  /** Whether the database is known to hold everything in memory. */
  get isStored(): boolean {
    return this.unsavedCount === 0 && this.reconciling === undefined;
  }

  /** Resolves once all edits in memory are stored or lost. */
  async whenStored(): Promise<void> {
    await this.reconciling;
    await this.edits.whenSettled();
  }

  /**
   * Records the id of the document's log, if no log is known yet. If another log is known, the content was
   * deleted and created again.
   *
   * @returns whether the document's log has this id
   */
  adoptLog(logId: string): boolean {
    this.logId ??= logId;
    return this.logId === logId;
  }

  /** Whether edits with items of these Yjs clients may bring deleted content back. */
  mayRestoreDeleted(clients: Iterable<number>): boolean {
    return this.deletedClients.size > 0 && [...clients].some((id) => this.deletedClients.has(id));
  }

  /** Gives up everything that is not committed. Call this when it can never be committed. */
  abandon(failure: Error): void {
    this.edits.dropAll();
    this.changes.refuseAll(failure);
    this.staged.drop();
  }
}
