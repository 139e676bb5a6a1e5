import { applyUpdate, mergeUpdates } from 'yjs';
import type { Quotas } from '../../api/quotas/quotas.ts';
import { newServerClient } from '../../features/crdt/client-ids.ts';
import {
  type Append,
  type Appended,
  appendUpdates,
  type Rejection,
} from '../../features/crdt/log/append-updates.ts';
import { EVENT_INTERVAL_MS } from '../../features/crdt/log/event-plan.ts';
import { readEditorForEvent } from '../../features/crdt/present-editor.ts';
import { isLarge } from '../../features/crdt/worker/run-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { classifyDatabaseError } from '../../platform/database/database-errors.ts';
import { AppError } from '../../platform/errors.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { COMMITTED } from '../live-context.ts';
import { wait } from '../wait.ts';
import type { Change, Made } from './make-changes.ts';
import type { Edits, OpenDocument } from './open-document.ts';

/** The limits of one transaction; the rest goes into the next. */
const MAX_DOCUMENTS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** The longest time to prepare a transaction without a pause. */
const TAKE_MS = 20;
/** Edits are committed within this time of their arrival. Others see them at once. */
const COMMITTED_WITHIN_MS = 250;
/** Bounds of the time to gather edits, which leaves room for a commit twice as long as the last. */
const MOST_GATHER_MS = 180;
const LEAST_GATHER_MS = 50;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

interface Parts {
  db: Database;
  events: EventLog;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  quotas: Quotas;
  /** Called when everything in the document is committed. */
  onSaved: (open: OpenDocument) => void;
  /** Applies edits that other processes have stored. */
  catchUp: (open: OpenDocument) => Promise<void>;
  /**
   * Called when the document was deleted or cannot be stored, and must leave memory. Without a failure
   * it may be opened again, except by forgers, who wrote under Yjs clients of others.
   */
  onLost: (open: OpenDocument, failure: AppError | undefined, forgers: readonly string[]) => void;
}

/** The edits and changes of one document in a transaction. */
interface BatchEntry {
  open: OpenDocument;
  edits: Edits | undefined;
  made: Made | undefined;
  /** Undefined when there is nothing to write. */
  append: Append | undefined;
}

/**
 * Group commits: one transaction at a time stores the edits of all documents that arrived while the
 * queue gathered or the previous transaction ran. So a thousand typing users cause a few transactions,
 * and the edits of ten users in one document become one update of its log. A change that a caller waits
 * for is committed at once, and so is an edit after a pause. While the database is away, editing goes on
 * in memory and the edits wait here.
 */
export class UpdateQueue {
  readonly #parts: Parts;
  readonly #dirty = new Set<OpenDocument>();
  readonly #stopping = new AbortController();
  #run: Promise<void> | undefined;
  #isDraining = false;
  /** Whether a caller waits, so that the queue must not gather; and a function that ends gathering. */
  #isHurried = false;
  #endGathering: (() => void) | undefined;
  /** A time at or after the arrival of the oldest pending edit. */
  #waitingSince = 0;
  #takenAt = Number.NEGATIVE_INFINITY;
  #commitMs = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  add(open: OpenDocument, edit: Omit<Edits, 'count'>): void {
    open.add(edit);
    this.#wake(open);
  }

  /**
   * Makes and stores a change at once, on top of the edits that any process stored before it.
   * @throws the error of `make`; NOT_FOUND when the document is gone.
   */
  change(open: OpenDocument, change: Pick<Change, 'author' | 'make'>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    open.addChange({ ...change, resolve, reject });
    this.#hurry();
    this.#wake(open);
    return promise;
  }

  #wake(open: OpenDocument): void {
    if (this.#dirty.size === 0) this.#waitingSince = performance.now();
    this.#dirty.add(open);
    this.#run ??= this.#flushAll();
  }

  /** Commits pending edits. @returns how many updates were not stored before the deadline. */
  async drain(deadlineMs: number): Promise<number> {
    const deadline = setTimeout(() => this.#stopping.abort(), deadlineMs);
    this.#isDraining = true;
    this.#hurry();
    await this.#run;
    clearTimeout(deadline);
    this.#stopping.abort();
    return [...this.#dirty].reduce((count, { unsaved }) => count + unsaved, 0);
  }

  async #flushAll(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (this.#dirty.size > 0 && !this.#stopping.signal.aborted) {
      await this.#gather();
      const batch = this.#take();
      try {
        const overtaken = await this.#commit(batch);
        await Promise.all(overtaken.map((entry) => this.#rebase(entry)));
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'Edits wait in memory until the database is back.');
        await wait(retryMs, this.#stopping.signal);
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
      }
    }
    // This runs in the turn of the last check, so that no edit can be added unseen in between.
    this.#run = undefined;
  }

  /** Waits for one turn at least, so that edits that arrive together are committed together. */
  async #gather(): Promise<void> {
    const gatherMs = Math.min(MOST_GATHER_MS, COMMITTED_WITHIN_MS - 2 * this.#commitMs);
    const gathersUntil = this.#waitingSince + Math.max(LEAST_GATHER_MS, gatherMs);
    const isAlone = this.#waitingSince > this.#takenAt + MOST_GATHER_MS;
    const waitMs = gathersUntil - performance.now();
    if (!isAlone && !this.#isHurried && waitMs > 0) await this.#hurriedOrAfter(waitMs);
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#isHurried = this.#isDraining;
    this.#takenAt = performance.now();
  }

  #hurry(): void {
    this.#isHurried = true;
    this.#endGathering?.();
  }

  async #hurriedOrAfter(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.#endGathering = resolve;
    await promise;
    clearTimeout(timer);
  }

  /** At least one document, however large, so that the queue always moves. */
  #take(): BatchEntry[] {
    const batch: BatchEntry[] = [];
    let bytes = 0;
    const until = performance.now() + TAKE_MS;
    for (const open of this.#dirty) {
      this.#dirty.delete(open);
      const edits = open.takeEdits();
      const made = open.takeChanges(until);
      // The rest has waited as long, and need not gather again.
      if (open.hasWaiting) {
        this.#dirty.add(open);
        this.#isHurried = true;
      }
      batch.push({ open, edits, made, append: this.#appendOf(open, edits, made) });
      bytes += (edits?.update.length ?? 0) + (made?.update?.length ?? 0);
      if (batch.length >= MAX_DOCUMENTS || bytes >= MAX_BYTES) break;
      if (performance.now() >= until) break;
    }
    return batch;
  }

  /** Returns the update to store, with the resulting content only if an event may be due. */
  #appendOf(
    open: OpenDocument,
    edits: Edits | undefined,
    made: Made | undefined,
  ): Append | undefined {
    const { name, logId, document, version } = open;
    const updates = [edits?.update, made?.update].filter((update) => update !== undefined);
    const [update] = updates;
    if (!update) return undefined;
    const isDue = this.#parts.clock.now() >= open.eventAt + EVENT_INTERVAL_MS;
    // The event of large content is published later, from stored content, by a worker thread.
    const type = made ? open.declared?.contentType : null;
    const mayPublish = isDue && !isLarge(type, open.sizeBytes);
    return {
      name,
      logId,
      update: updates.length > 1 ? mergeUpdates(updates) : update,
      count: (edits?.count ?? 0) + (made?.count ?? 0),
      userId: made?.update ? made.changes.at(-1)?.author : edits?.userId,
      replaces: made && version,
      claims: open.owners.take(),
      content: mayPublish ? readEditorForEvent(made?.copy ?? document, open.declared) : undefined,
    };
  }

  #putBack(batch: readonly BatchEntry[]): void {
    for (const { open, edits, made, append } of batch) {
      open.putBack(edits, made?.changes ?? []);
      if (append?.claims) open.owners.putBack(append.claims);
      this.#dirty.add(open);
    }
  }

  /** @returns entries to rebase. @throws when the database is away; all entries are then put back. */
  async #commit(batch: readonly BatchEntry[]): Promise<BatchEntry[]> {
    const written = batch.filter(({ append }) => append !== undefined);
    try {
      const startedAt = performance.now();
      const appends = written.flatMap(({ append }) => append ?? []);
      const outcomes = appends.length > 0 ? await appendUpdates(this.#parts, appends) : [];
      this.#commitMs = performance.now() - startedAt;
      const overtaken = written.filter((entry, at) => !this.#settle(entry, outcomes[at]));
      return [...overtaken, ...batch.filter(({ append }) => append === undefined)];
    } catch (error) {
      if (!classifyDatabaseError(error)) return this.#commitOneByOne(batch, error);
      this.#putBack(batch);
      // The commit may have succeeded without an answer, so this client id must not be used again.
      for (const { open } of batch) open.serverClient = newServerClient();
      throw error;
    }
  }

  /** Commits entries one by one, so that a document that cannot be stored does not block others. */
  async #commitOneByOne(batch: readonly BatchEntry[], error: unknown): Promise<BatchEntry[]> {
    const [only, ...others] = batch;
    if (!only) return [];
    if (others.length === 0) {
      this.#parts.log.error({ err: error }, 'Edits of a live document cannot be stored.');
      this.#lose(only, new AppError('INTERNAL', 'The change cannot be stored.', { cause: error }));
      return [];
    }
    const overtaken: BatchEntry[] = [];
    for (const [at, entry] of batch.entries()) {
      try {
        overtaken.push(...(await this.#commit([entry])));
      } catch (failure) {
        this.#putBack([...overtaken, ...batch.slice(at + 1)]);
        throw failure;
      }
    }
    return overtaken;
  }

  /**
   * Puts an entry back on top of the edits that another process stored first. An entry without anything
   * to write is finished when there are no such edits.
   */
  async #rebase(entry: BatchEntry): Promise<void> {
    const { open, made, append } = entry;
    const { version } = open;
    try {
      await this.#parts.catchUp(open);
    } catch (error) {
      this.#putBack([entry]);
      throw error;
    }
    if (append || open.version > version || open.hasWaiting) this.#putBack([entry]);
    else this.#finish(entry, made?.changes.length ?? 0);
  }

  /** @returns false when the entry was overtaken and must be rebased */
  #settle(entry: BatchEntry, outcome: Appended | Rejection = 'gone'): boolean {
    const { open, edits, made, append } = entry;
    if (outcome === 'overtaken') return false;
    if (outcome === 'gone') {
      this.#lose(entry, new AppError('NOT_FOUND', 'The document does not exist any more.'));
      return true;
    }
    if ('claimedBy' in outcome) {
      this.#loseToOwner(entry, outcome.claimedBy);
      return true;
    }
    open.logId = outcome.logId;
    open.eventAt = outcome.eventAt?.getTime() ?? 0;
    if (made?.update && !open.document.isDestroyed) {
      applyUpdate(open.document, made.update, COMMITTED);
    }
    // The version is known here only if no other process has written in between.
    if (outcome.version === open.version + (append?.count ?? 0)) open.version = outcome.version;
    open.logUpdates++;
    open.logBytes += append?.update.length ?? 0;
    this.#parts.quotas.known(open.name.tenantId)?.accept(edits?.update.length ?? 0);
    this.#parts.metrics.liveUpdates.inc(append?.count ?? 0);
    this.#finish(entry, (edits?.count ?? 0) + (made?.changes.length ?? 0));
    return true;
  }

  #finish({ open, made }: BatchEntry, count: number): void {
    for (const { resolve } of made?.changes ?? []) resolve();
    open.settled(count);
    if (!open.hasUnsaved) this.#parts.onSaved(open);
  }

  #lose(entry: BatchEntry, failure: AppError): void {
    this.#parts.onLost(entry.open, failure, []);
    this.#drop(entry, failure);
  }

  /**
   * Two users wrote with one Yjs client id at two processes while the database was away. The second
   * user's edits are dropped with this copy of the document, and the others reopen it.
   */
  #loseToOwner(entry: BatchEntry, forgers: readonly string[]): void {
    this.#parts.onLost(entry.open, undefined, forgers);
    this.#drop(entry, new AppError('UNAVAILABLE', 'The document is being opened anew. Try again.'));
  }

  #drop({ open, made }: BatchEntry, failure: AppError): void {
    this.#dirty.delete(open);
    for (const { reject } of made?.changes ?? []) reject(failure);
    open.lose(failure);
  }
}
