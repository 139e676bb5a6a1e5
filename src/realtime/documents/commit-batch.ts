import type { Services } from '../../api/context.ts';
import { editorLock } from '../../features/crdt/log/append-sql.ts';
import {
  type Append,
  type Appended,
  type AppendOutcome,
  isAppended,
} from '../../features/crdt/log/append-types.ts';
import { appendUpdates, appendWithin } from '../../features/crdt/log/append-updates.ts';
import { existingLogs } from '../../features/crdt/log/logs.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { classifyDatabaseError } from '../../platform/database/database-errors.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import type { OpenTransaction } from '../../platform/database/transaction.ts';
import { AppError } from '../../platform/errors.ts';
import type { LoopDependencies } from '../../platform/loops/background-loop.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { type BatchEntry, putBack, takeBatch } from './batch.ts';
import type { OpenDocument } from './open-document.ts';
import { countOf } from './pending-edits.ts';

export interface CommitDependencies
  extends LoopDependencies,
    Pick<Services, 'db' | 'events' | 'clock' | 'tracing' | 'quotas'> {
  metrics: Pick<Metrics, 'loopSeconds' | 'liveUpdates'>;
  /** Called when everything in the document is committed. */
  onSaved: (openDoc: OpenDocument) => void;
  /** Applies edits that other processes have stored. */
  catchUp: (documents: readonly OpenDocument[], db?: Queryable) => Promise<void>;
  /**
   * Called when the document must leave memory, because it was deleted or cannot be stored.
   *
   * @param failure the reason, with which connections to the document are closed
   * @param forgers ids of users who wrote with other users' Yjs clients, and must not reopen the document
   */
  onAbandoned: (openDoc: OpenDocument, failure: AppError, forgers: readonly string[]) => void;
}

/**
 * A transaction that locks documents is ended by PostgreSQL if it runs no statement for this long. If this
 * process is suspended, other processes can then edit the documents.
 */
const MAX_LOCK_MS = 2_000;
const limitLockTime = sql`
  SELECT set_config('idle_in_transaction_session_timeout', ${String(MAX_LOCK_MS)}, true)`;

/** Commits batches, and settles their edits and changes. Documents of a failed batch go back into `dirty`. */
export class BatchCommitter {
  readonly #deps: CommitDependencies;
  readonly #dirty: Set<OpenDocument>;
  /** How long the last transaction took. */
  lastCommitMs = 0;

  constructor(deps: CommitDependencies, dirty: Set<OpenDocument>) {
    this.#deps = deps;
    this.#dirty = dirty;
  }

  /** Makes and commits changes to these documents in one transaction, which locks the documents first. */
  async commitLocked(documents: readonly OpenDocument[]): Promise<void> {
    const tx = await this.#lock(documents);
    try {
      await this.commit(takeBatch(this.#dirty, this.#deps.clock, documents), tx);
    } finally {
      await tx.rollBack();
    }
  }

  /**
   * Begins a transaction that locks the documents, and locks the idempotency reservations of their waiting
   * changes: a change whose reservation was lost is refused. Applies the edits of other processes, and
   * abandons documents that were deleted or contain a refused change.
   */
  async #lock(documents: readonly OpenDocument[]): Promise<OpenTransaction> {
    const tx = await this.#deps.db.begin();
    try {
      const knownLogs = documents.map(({ logId }) => logId);
      const limiting = tx.query(limitLockTime);
      const locking = tx.query<{ logId: string }>(editorLock(documents));
      const reading = this.#deps.catchUp(documents, tx);
      const reservations = documents.map((openDoc) => openDoc.changes.lockReservations(tx));
      await pipeline([limiting, locking, reading, ...reservations]);
      const existing = new Set((await locking).map(({ logId }) => logId));
      for (const [index, openDoc] of documents.entries()) {
        const containsRefused = await reservations[index];
        if (isDeleted(knownLogs[index], existing)) this.#abandon(openDoc, goneError());
        else if (containsRefused) this.#abandon(openDoc, reopeningError());
      }
      return tx;
    } catch (error) {
      await tx.rollBack();
      throw error;
    }
  }

  /**
   * Commits a batch in one transaction, and rebases entries for documents that another process wrote to first.
   *
   * @param lockingTx the transaction that has locked the documents, if any
   * @throws when the database cannot be reached; the whole batch is then put back
   */
  async commit(batch: readonly BatchEntry[], lockingTx?: OpenTransaction): Promise<void> {
    const updates = batch.reduce((total, { append }) => total + (append?.count ?? 0), 0);
    const attributes = { documents: batch.length, updates };
    await this.#deps.tracing.trace({ name: 'edits', attributes }, async () => {
      await this.#rebase(await this.#write(batch, lockingTx));
    });
  }

  /**
   * Stores a batch in one transaction, and settles the entries that are stored or lost.
   *
   * @returns entries to rebase
   * @throws when the database cannot be reached; all entries are then put back
   */
  async #write(batch: readonly BatchEntry[], lockingTx?: OpenTransaction): Promise<BatchEntry[]> {
    const entriesToWrite = batch.filter(({ append }) => append !== undefined);
    try {
      const startedAt = performance.now();
      const appends = entriesToWrite.flatMap(({ append }) => append ?? []);
      const outcomes = await this.#append(appends, lockingTx);
      if (lockingTx) await commitWithResponses(lockingTx, entriesToWrite, outcomes);
      this.lastCommitMs = performance.now() - startedAt;
      const overtakenEntries = entriesToWrite.filter(
        (entry, index) => !this.#settle(entry, outcomes[index] ?? 'gone'),
      );
      const entriesWithoutUpdates = batch.filter(({ append }) => append === undefined);
      if (!lockingTx) return [...overtakenEntries, ...entriesWithoutUpdates];
      // `#lock` has applied the edits of other processes to the locked documents.
      for (const entry of entriesWithoutUpdates) this.#finish(entry);
      return overtakenEntries;
    } catch (error) {
      if (!classifyDatabaseError(error)) return this.#writeOneByOne(batch, error, lockingTx);
      // The commit may have succeeded although its confirmation was lost. Storing edits twice has no effect.
      putBack(this.#dirty, batch);
      throw error;
    }
  }

  async #append(appends: readonly Append[], lockingTx?: OpenTransaction): Promise<AppendOutcome[]> {
    if (appends.length === 0) return [];
    return lockingTx
      ? appendWithin(lockingTx, this.#deps, appends)
      : appendUpdates(this.#deps, appends);
  }

  /**
   * Writes entries one by one, so that a document that cannot be stored does not block others.
   *
   * @returns entries to rebase
   */
  async #writeOneByOne(
    batch: readonly BatchEntry[],
    error: unknown,
    lockingTx?: OpenTransaction,
  ): Promise<BatchEntry[]> {
    const [first] = batch;
    if (!first) return [];
    if (batch.length === 1) {
      this.#deps.log.error({ err: error }, 'Edits of a live document cannot be stored.');
      const failure = new AppError('INTERNAL', 'The change cannot be stored.', { cause: error });
      this.#abandon(first.openDoc, failure);
      return [];
    }
    if (lockingTx) {
      // The failed transaction has lost its locks, and changes need the lock on their reservations.
      await lockingTx.rollBack();
      putBack(this.#dirty, batch);
      for (const { openDoc } of batch) await this.commitLocked([openDoc]);
      return [];
    }
    const overtaken: BatchEntry[] = [];
    for (const [index, entry] of batch.entries()) {
      try {
        overtaken.push(...(await this.#write([entry])));
      } catch (failure) {
        putBack(this.#dirty, [...overtaken, ...batch.slice(index + 1)]);
        throw failure;
      }
    }
    return overtaken;
  }

  /**
   * Applies the edits that other processes stored first, and puts the entries back, to be stored after them.
   * An entry without anything to write is finished if there are no such edits and its document still exists.
   */
  async #rebase(entries: readonly BatchEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const versions = entries.map(({ openDoc }) => openDoc.version);
    let existing: ReadonlySet<string>;
    try {
      await this.#deps.catchUp(entries.map(({ openDoc }) => openDoc));
      const names = entries.map(({ openDoc }) => openDoc.name);
      existing = await existingLogs(this.#deps.db, names);
    } catch (error) {
      putBack(this.#dirty, entries);
      throw error;
    }
    const isBehind = ({ openDoc, append }: BatchEntry, index: number) =>
      append !== undefined || openDoc.version > (versions[index] ?? 0) || openDoc.hasWaitingWork;
    const behind = new Set(entries.filter(isBehind));
    putBack(this.#dirty, [...behind]);
    for (const entry of entries) {
      if (behind.has(entry)) continue;
      if (isDeleted(entry.openDoc.logId, existing)) this.#abandon(entry.openDoc, goneError());
      else this.#finish(entry);
    }
  }

  /** Settles an entry by its outcome. @returns false when another process wrote first: it must be rebased */
  #settle(entry: BatchEntry, outcome: AppendOutcome): boolean {
    if (outcome === 'overtaken') return false;
    if (outcome === 'gone') {
      this.#abandon(entry.openDoc, goneError());
    } else if ('claimedBy' in outcome) {
      // Two users wrote with one Yjs client id at two processes while the database was unreachable. The
      // second user's edits are dropped with this copy of the document, which the other users reopen.
      this.#abandon(entry.openDoc, reopeningError(), outcome.claimedBy);
    } else {
      this.#accept(entry, outcome);
    }
    return true;
  }

  #accept(entry: BatchEntry, { logId, eventAt, version }: Appended): void {
    const { openDoc, edits, append } = entry;
    openDoc.logId = logId;
    openDoc.eventAt = eventAt?.getTime() ?? 0;
    openDoc.staged.publish();
    // The version is known here only if no other process has written in between.
    if (version === openDoc.version + (append?.count ?? 0)) openDoc.version = version;
    for (const update of append?.updates ?? []) openDoc.logLength.add(update);
    const bytes = edits.reduce((sum, { update }) => sum + update.length, 0);
    this.#deps.quotas.known(openDoc.name.tenantId)?.countBytes(bytes);
    this.#deps.metrics.liveUpdates.inc(append?.count ?? 0);
    this.#finish(entry);
  }

  /** Resolves the promises of those who wait for the edits and changes of a committed entry. */
  #finish({ openDoc, edits, changes }: BatchEntry): void {
    openDoc.changes.commit(changes);
    openDoc.edits.settle(countOf(edits));
    if (openDoc.unsavedCount === 0) this.#deps.onSaved(openDoc);
  }

  /** Gives up a document that was deleted or cannot be stored. */
  #abandon(openDoc: OpenDocument, failure: AppError, forgers: readonly string[] = []): void {
    this.#deps.onAbandoned(openDoc, failure, forgers);
    this.#dirty.delete(openDoc);
    openDoc.abandon(failure);
  }
}

/** Whether a document's log no longer exists. A document without a log has no content yet. */
const isDeleted = (logId: string | undefined, existing: ReadonlySet<string>): boolean =>
  logId !== undefined && !existing.has(logId);

const goneError = () => new AppError('NOT_FOUND', 'The document no longer exists.');

const reopeningError = () =>
  new AppError('UNAVAILABLE', 'The document is being reopened. Try again.');

/** Commits appended changes together with the stored responses to their callers. */
async function commitWithResponses(
  tx: OpenTransaction,
  entries: readonly BatchEntry[],
  outcomes: readonly AppendOutcome[],
): Promise<void> {
  for (const [index, { changes }] of entries.entries()) {
    if (!isAppended(outcomes[index])) continue;
    for (const { response } of changes) response?.store(tx);
  }
  await tx.commit();
}
