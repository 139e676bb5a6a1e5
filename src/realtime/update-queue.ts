import { isLarge } from '../features/crdt/aside/run-job.ts';
import {
  type Append,
  type Appended,
  appendUpdates,
  type Rejection,
} from '../features/crdt/log/append-updates.ts';
import { EVENT_INTERVAL_MS } from '../features/crdt/log/event-plan.ts';
import { readEditorForEvent } from '../features/crdt/present-editor.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { classifyDatabaseError } from '../platform/database/database-errors.ts';
import { AppError } from '../platform/errors.ts';
import type { EventLog } from '../platform/events/event-log.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Edits, OpenDocument } from './open-document.ts';
import { wait } from './wait.ts';

/** What one transaction takes at most; the rest goes into the next. */
const MAX_DOCUMENTS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** What was typed is to be committed so soon after it came. It is seen at once. */
const COMMITTED_WITHIN_MS = 250;
/** How long it gathers: what is left when a commit takes twice as long as the last one did. */
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
  /** Everything of the document is committed. */
  onSaved: (open: OpenDocument) => void;
  /** The document was deleted, or cannot be stored: what is in memory must go. */
  onLost: (open: OpenDocument, failure: AppError) => void;
}

/** The edits of one document in a transaction. */
interface Taken {
  open: OpenDocument;
  edits: Edits;
  append: Append;
}

/**
 * Group commits: one transaction at a time holds whatever arrived, of all documents, while it
 * gathered or the one before ran, so that a thousand people typing are a few transactions, and what
 * ten of them typed in one document is one update of its log. What a caller waits for is committed
 * at once, with all that is there, and so is what comes when nothing came for a while. While the
 * database is away, edits go on in memory and wait here.
 */
export class UpdateQueue {
  readonly #parts: Parts;
  readonly #dirty = new Set<OpenDocument>();
  readonly #stopping = new AbortController();
  #run: Promise<void> | undefined;
  #isDraining = false;
  /** Whether somebody waits, so that nothing is to gather; and what ends the time of gathering. */
  #isHurried = false;
  #endGathering: (() => void) | undefined;
  /** When the oldest of what waits arrived, at the latest. */
  #waitingSince = 0;
  #takenAt = Number.NEGATIVE_INFINITY;
  #commitMs = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  add(open: OpenDocument, edit: Omit<Edits, 'count'>): void {
    if (this.#dirty.size === 0) this.#waitingSince = performance.now();
    open.add(edit);
    this.#dirty.add(open);
    if (edit.isAwaited) this.#hurry();
    this.#run ??= this.#flushAll();
  }

  /** Commits what waits. @returns how many updates could not be stored until the deadline. */
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
        await this.#commit(batch);
        retryMs = FIRST_RETRY_MS;
      } catch (error) {
        this.#putBack(batch);
        this.#parts.log.warn({ err: error }, 'Edits wait in memory until the database is back.');
        await wait(retryMs, this.#stopping.signal);
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
      }
    }
    // In the same turn as the last look, so that nothing can be added unseen in between.
    this.#run = undefined;
  }

  /** A turn at least, so that what arrives together is committed together. */
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
  #take(): Taken[] {
    const batch: Taken[] = [];
    let bytes = 0;
    for (const open of this.#dirty) {
      const edits = open.take();
      this.#dirty.delete(open);
      batch.push({ open, edits, append: this.#appendOf(open, edits) });
      bytes += edits.update.length;
      if (batch.length >= MAX_DOCUMENTS || bytes >= MAX_BYTES) break;
    }
    return batch;
  }

  /** Read now, while memory holds what the edits lead to; only when an event may be due. */
  #appendOf(open: OpenDocument, { update, count, userId, isAwaited }: Edits): Append {
    const { name, logId, document } = open;
    const isDue = this.#parts.clock.now() >= open.eventAt + EVENT_INTERVAL_MS;
    // Of large content the event is told a little later, from what is stored, by another thread.
    const mayTell =
      isDue && !isLarge(isAwaited ? open.declared?.contentType : null, open.sizeBytes);
    const content = mayTell ? readEditorForEvent(document, open.declared) : undefined;
    return { name, logId, update, count, userId, content, claims: open.owners.take() };
  }

  #putBack(batch: Taken[]): void {
    for (const { open, edits, append } of batch) {
      open.putBack(edits);
      if (append.claims) open.owners.putBack(append.claims);
      this.#dirty.add(open);
    }
  }

  /** @throws when the database is away; then nothing was committed. */
  async #commit(batch: Taken[]): Promise<void> {
    const appends = batch.map(({ append }) => append);
    try {
      const startedAt = performance.now();
      const appended = await appendUpdates(this.#parts, appends);
      this.#commitMs = performance.now() - startedAt;
      for (const [at, taken] of batch.entries()) this.#settle(taken, appended[at]);
    } catch (error) {
      if (classifyDatabaseError(error)) throw error;
      await this.#commitApart(batch, error);
    }
  }

  /** One document that the database does not take must not hold up the others. */
  async #commitApart(batch: Taken[], error: unknown): Promise<void> {
    const [only, ...others] = batch;
    if (!only) return;
    if (others.length === 0) {
      this.#parts.log.error({ err: error }, 'Edits of a live document cannot be stored.');
      this.#lose(only, new AppError('INTERNAL', 'The change cannot be stored.', { cause: error }));
      return;
    }
    for (const [at, taken] of batch.entries()) {
      try {
        await this.#commit([taken]);
      } catch (failure) {
        this.#putBack(batch.slice(at + 1));
        this.#putBack([taken]);
        this.#parts.log.warn({ err: failure }, 'Edits wait in memory until the database is back.');
        return;
      }
    }
  }

  #settle(taken: Taken, appended: Appended | Rejection = 'gone'): void {
    const { open, edits } = taken;
    if (typeof appended === 'string') {
      this.#lose(taken, failureOf(appended));
      return;
    }
    open.logId = appended.logId;
    open.eventAt = appended.eventAt?.getTime() ?? 0;
    // Only if nobody else has written in between is all of it in memory.
    if (appended.version === open.version + edits.count) open.version = appended.version;
    open.logUpdates++;
    open.logBytes += edits.update.length;
    this.#parts.metrics.liveUpdates.inc(edits.count);
    open.settled(edits);
    if (!open.hasUnsaved) this.#parts.onSaved(open);
  }

  #lose({ open }: Taken, failure: AppError): void {
    this.#dirty.delete(open);
    this.#parts.onLost(open, failure);
    open.lose(failure);
  }
}

/** Of two users who write with one Yjs client id, at two processes at once, one has to begin anew. */
const failureOf = (rejection: Rejection): AppError =>
  rejection === 'foreign_client'
    ? new AppError('PERMISSION_DENIED', 'A Yjs client id belongs to another user.')
    : new AppError('NOT_FOUND', 'The document does not exist any more.');
