import { isLarge } from '../features/crdt/aside/run-job.ts';
import { type Append, type Appended, appendUpdates } from '../features/crdt/log/append-updates.ts';
import { EVENT_INTERVAL_MS } from '../features/crdt/log/event-plan.ts';
import { readEditorForEvent } from '../features/crdt/present-editor.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { classifyDatabaseError } from '../platform/database/database-errors.ts';
import { AppError } from '../platform/errors.ts';
import type { EventLog } from '../platform/events/event-log.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { OpenDocument, QueuedUpdate } from './open-document.ts';
import { wait } from './wait.ts';

/** What one transaction takes at most; the rest goes into the next. */
const MAX_UPDATES = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** How long what was typed gathers: it is to be committed within 250 ms, and is seen at once. */
const GATHER_MS = 100;
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

/** The updates of one document in a transaction. */
interface Taken {
  open: OpenDocument;
  updates: QueuedUpdate[];
  append: Append;
}

/**
 * Group commits: one transaction at a time holds whatever arrived, of all documents, while it
 * gathered or the one before ran, so that a thousand people typing are a few transactions. What a
 * caller waits for is committed at once, with all that is there. While the database is away, edits
 * go on in memory and wait here.
 */
export class UpdateQueue {
  readonly #parts: Parts;
  readonly #dirty = new Set<OpenDocument>();
  readonly #stopping = new AbortController();
  #run: Promise<void> | undefined;
  #isDraining = false;
  /** Ends the time of gathering. */
  #gathered = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  add(open: OpenDocument, update: QueuedUpdate): void {
    open.add(update);
    this.#dirty.add(open);
    this.#run ??= this.#flushAll();
  }

  /** Somebody waits for what was added. */
  hurry(): void {
    this.#gathered.abort();
  }

  /** Commits what waits. @returns how many updates could not be stored until the deadline. */
  async drain(deadlineMs: number): Promise<number> {
    const deadline = setTimeout(() => this.#stopping.abort(), deadlineMs);
    this.#isDraining = true;
    this.hurry();
    await this.#run;
    clearTimeout(deadline);
    this.#stopping.abort();
    return [...this.#dirty].reduce((count, { waiting }) => count + waiting.length, 0);
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
    await wait(GATHER_MS, this.#gathered.signal);
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (!this.#isDraining) this.#gathered = new AbortController();
  }

  #take(): Taken[] {
    const batch: Taken[] = [];
    let room = { updates: MAX_UPDATES, bytes: MAX_BYTES };
    for (const open of this.#dirty) {
      const updates = takeSome(open, room);
      if (open.waiting.length === 0) this.#dirty.delete(open);
      batch.push({ open, updates, append: this.#appendOf(open, updates) });
      room = left(room, updates);
      if (room.updates <= 0 || room.bytes <= 0) break;
    }
    return batch;
  }

  /** Read now, while memory holds what the updates lead to; only when an event may be due. */
  #appendOf(open: OpenDocument, updates: QueuedUpdate[]): Append {
    const { name, logId, document } = open;
    // Of a large document the event is told a little later, from what is stored, by another thread.
    const isDue = this.#parts.clock.now() >= open.eventAt + EVENT_INTERVAL_MS;
    const mayTell = isDue && !isLarge(open.declared?.contentType, open.sizeBytes);
    return {
      name,
      logId,
      updates,
      content: mayTell ? readEditorForEvent(document, open.declared) : undefined,
    };
  }

  #putBack(batch: Taken[]): void {
    for (const { open, updates } of batch) {
      open.inFlight -= updates.length;
      open.waiting.unshift(...updates);
      this.#dirty.add(open);
    }
  }

  /** @throws when the database is away; then nothing was committed. */
  async #commit(batch: Taken[]): Promise<void> {
    const appends = batch.map(({ append }) => append);
    try {
      const now = new Date(this.#parts.clock.now());
      const appended = await appendUpdates(this.#parts, appends, now);
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

  #settle(taken: Taken, appended: Appended | undefined): void {
    const { open, updates } = taken;
    if (!appended) {
      this.#lose(taken, new AppError('NOT_FOUND', 'The document does not exist any more.'));
      return;
    }
    open.inFlight -= updates.length;
    open.logId = appended.logId;
    open.eventAt = appended.eventAt?.getTime() ?? 0;
    // Only if nobody else has written in between is all of it in memory.
    if (appended.version === open.version + updates.length) open.version = appended.version;
    open.logUpdates += updates.length;
    open.logBytes += sizeOf(updates);
    this.#parts.metrics.liveUpdates.inc(updates.length);
    for (const { settle } of updates) settle?.();
    open.settled(updates.length);
    if (!open.hasUnsaved) this.#parts.onSaved(open);
  }

  #lose({ open, updates }: Taken, failure: AppError): void {
    const lost = [...updates, ...open.waiting];
    open.inFlight -= updates.length;
    open.waiting = [];
    this.#dirty.delete(open);
    this.#parts.onLost(open, failure);
    for (const { settle } of lost) settle?.(failure);
    open.settled(lost.length);
  }
}

interface Room {
  updates: number;
  bytes: number;
}

/** At least one, however large, so that the queue always moves. */
function takeSome(open: OpenDocument, room: Room): QueuedUpdate[] {
  let bytes = 0;
  const fit = open.waiting.findIndex(({ update }, at) => {
    bytes += update.length;
    return at > 0 && (at >= room.updates || bytes > room.bytes);
  });
  const updates = open.waiting.splice(0, fit === -1 ? open.waiting.length : fit);
  open.inFlight += updates.length;
  return updates;
}

const left = (room: Room, updates: QueuedUpdate[]): Room => ({
  updates: room.updates - updates.length,
  bytes: room.bytes - sizeOf(updates),
});

const sizeOf = (updates: QueuedUpdate[]): number =>
  updates.reduce((bytes, { update }) => bytes + update.length, 0);
