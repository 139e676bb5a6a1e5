import type { Document } from '@hocuspocus/server';
import { mergeUpdates } from 'yjs';
import { versionConflict } from '../../features/crdt/change-stored.ts';
import { newServerClient } from '../../features/crdt/client-ids.ts';
import type { StoredDocument } from '../../features/crdt/log/load-stored.ts';
import { MAX_BYTES_AT_ONCE } from '../../features/crdt/worker/apply-in-parts.ts';
import { coalesceCalls } from '../../platform/coalesce-calls.ts';
import { pipeline } from '../../platform/database/pipeline.ts';
import type { OpenTransaction } from '../../platform/database/transaction.ts';
import { AppError } from '../../platform/errors.ts';
import type {
  DeclaredContent,
  LiveChange,
  LiveDocumentName,
} from '../../platform/live-documents.ts';
import { ClientOwners } from './client-owners.ts';
import { encodeInTurns, NOTHING_KNOWN } from './encode-in-turns.ts';
import { StagedUpdates } from './staged-updates.ts';

/** A change from a caller, with the functions that settle the promise which the caller awaits. */
export interface Change extends LiveChange {
  resolve(): void;
  reject(failure: unknown): void;
}

/** Edits of a document that are committed together. */
export interface Edits {
  update: Uint8Array;
  /** How many edits were merged into the update. */
  count: number;
  /** The author of the last of these edits. */
  userId: string | undefined;
}

/** Above this size pending edits are merged while the database is unreachable. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** A caller of `whenCommitted`. */
interface Waiter {
  /** How many edits and changes must be settled before the caller continues. */
  target: number;
  resolve: () => void;
  reject: (reason: Error) => void;
}

/** A document in memory, with the edits that are not in the database yet. */
export class OpenDocument {
  readonly name: LiveDocumentName;
  readonly document: Document;
  /** The root and type that the database declares for the content. */
  readonly declared: DeclaredContent;
  /** The id of the document's log; undefined until the log exists. */
  logId: string | undefined;
  /** Edits that have arrived and were not passed to the database yet. */
  #waiting: Edits[] = [];
  #changes: Change[] = [];
  /** The changes whose reservations of a response are locked. */
  #reserved: ReadonlySet<Change> = new Set();
  #waitingBytes = 0;
  /** Whether `#fold` is running. */
  #isFolding = false;
  /** Changes of callers that are made and not stored yet. */
  readonly staged: StagedUpdates;
  /** Everything up to this version is in memory. */
  version: number;
  /** The Yjs clients of deleted content under this name, whose edits must not come back. */
  readonly deletedClients: ReadonlySet<number>;
  /** The owner of each Yjs client of the document. */
  readonly owners = new ClientOwners();
  /** How many edits and changes have ever arrived, and how many of them are committed or lost. */
  #arrived = 0;
  #settled = 0;
  #waiters: Waiter[] = [];
  /** A running comparison with the database, which may find edits that are not stored. */
  reconciling: Promise<void> | undefined;
  /** Whether memory and database may differ by edits of other processes. */
  mayDiffer = false;
  /** Whether a caller waits for a comparison that has not begun. */
  isComparisonDue = false;
  /** The last event's time that this process knows, in epoch milliseconds. */
  eventAt: number;
  /** The length of the log since the snapshot, as far as this process knows. */
  logUpdates: number;
  logBytes: number;
  snapshotBytes: number;
  /** An upper bound of the document's size as one update. */
  sizeBytes: number;
  /** Large edits of clients that were accepted and may not be applied yet. */
  readonly accepted = new Set<Uint8Array>();

  constructor(
    name: LiveDocumentName,
    document: Document,
    loaded: { stored: StoredDocument | undefined; deletedClients: readonly number[] },
  ) {
    const { stored, deletedClients } = loaded;
    this.name = name;
    this.document = document;
    this.version = Number(stored?.version ?? 0);
    this.deletedClients = new Set(deletedClients);
    this.declared = {
      contentKey: stored?.contentKey ?? null,
      contentType: stored?.contentType ?? null,
    };
    this.logId = stored?.logId;
    this.eventAt = stored?.eventAt?.getTime() ?? 0;
    this.logUpdates = stored?.updates.length ?? 0;
    this.logBytes = stored?.updates.reduce((bytes, update) => bytes + update.length, 0) ?? 0;
    this.snapshotBytes = stored?.snapshot?.length ?? 0;
    this.sizeBytes = this.storedBytes;
    // No other process writes with this Yjs client, whatever became of an earlier commit.
    document.clientID = newServerClient();
    this.staged = new StagedUpdates(document);
  }

  /** Measures the size exactly. If edits arrive meanwhile, it is measured once more. */
  readonly measureSize = coalesceCalls(async () => {
    if (!(await this.#measureOnce())) await this.#measureOnce();
  });

  /**
   * Edits that arrive while the size is measured are added to it, although the measurement may include
   * them already.
   *
   * @returns whether no edits arrived, so that the size is exact
   */
  async #measureOnce(): Promise<boolean> {
    const before = this.sizeBytes;
    const { length } = await encodeInTurns(this.document, NOTHING_KNOWN);
    this.sizeBytes += length - before;
    return this.sizeBytes === length;
  }

  add(edit: Omit<Edits, 'count'>): void {
    this.#arrived++;
    this.#waiting.push({ ...edit, count: 1 });
    this.#waitingBytes += edit.update.length;
    // Folding saves memory only if the edits are larger than the document's whole state.
    if (this.#waitingBytes > MAX_WAITING_BYTES + 2 * this.sizeBytes) void this.#fold();
  }

  addChange(change: Change): void {
    this.#arrived++;
    this.#changes.push(change);
  }

  /** Takes pending edits as one update, as many as are merged in a few milliseconds. */
  takeEdits(): Edits | undefined {
    let [count, bytes] = [0, 0];
    for (const { update } of this.#waiting) {
      bytes += update.length;
      if (count > 0 && bytes > MAX_BYTES_AT_ONCE) break;
      count++;
    }
    if (count === 0) return undefined;
    const taken = this.#waiting.splice(0, count);
    for (const { update } of taken) this.#waitingBytes -= update.length;
    return joined(taken);
  }

  /** Whether the database must confirm, under a lock, that a pending change may be made. */
  get hasConditions(): boolean {
    return this.#changes.some(({ ifVersion, answer }) => ifVersion !== undefined || answer);
  }

  /**
   * Locks the reservations of responses to pending changes. Refuses the changes whose reservation was lost.
   */
  async lockReservations(tx: OpenTransaction): Promise<void> {
    const pending = [...this.#changes];
    const failures = await pipeline(pending.map(({ answer }) => answer?.lock(tx)));
    this.#reserved = new Set(pending);
    // Meanwhile, other changes may have arrived, or `lose` may have rejected all of them.
    for (const change of [...this.#changes]) {
      const failure = failures[pending.indexOf(change)];
      if (!failure) continue;
      this.#changes.splice(this.#changes.indexOf(change), 1);
      this.#refuse(change, failure);
    }
  }

  /**
   * Takes and makes pending changes, one after the other, until the time is over; one at least.
   *
   * @param until the end of the time, by `performance.now()`
   * @param version the version that the first of them is made on
   */
  takeChanges(until: number, version: number): Change[] {
    const made: Change[] = [];
    for (const change of [...this.#changes]) {
      if (change.answer && !this.#reserved.has(change)) break;
      this.#changes.shift();
      if (this.#make(change, version)) made.push(change);
      if (performance.now() >= until) break;
    }
    return made;
  }

  #make(change: Change, version: number): boolean {
    const { ifVersion } = change;
    try {
      if (ifVersion !== undefined && ifVersion !== version + this.staged.count) {
        throw versionConflict();
      }
      this.staged.stage(() => change.make(this.document, this.declared));
      return true;
    } catch (error) {
      this.#refuse(change, error);
      return false;
    }
  }

  #refuse(change: Change, error: unknown): void {
    change.reject(error);
    // Waiters are released with the commit, since earlier edits may not be committed yet.
    this.#settled++;
  }

  /**
   * Puts uncommitted edits and changes back, before those that have arrived since. A change for a certain
   * version cannot be made again on another one: it stays made, and its caller gets a failure, as when
   * storing takes too long.
   */
  putBack(edits: Edits | undefined, changes: readonly Change[]): void {
    const [repeatable, others] = partition(changes, ({ ifVersion }) => ifVersion === undefined);
    this.#changes.unshift(...repeatable);
    for (const change of others) this.#refuse(change, notStoredYet());
    if (!edits) return;
    this.#waiting.unshift(edits);
    this.#waitingBytes += edits.update.length;
  }

  /** Counts the next edits and changes as committed. */
  countSettled(count: number): void {
    this.#settled += count;
    this.#release(({ resolve }) => resolve());
  }

  /** Rejects everything that is not committed, since it never will be. */
  lose(failure: Error): void {
    for (const { reject } of this.#changes.splice(0)) reject(failure);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.staged.drop();
    this.#settled = this.#arrived;
    this.#release(({ reject }) => reject(failure));
  }

  #release(settle: (waiter: Waiter) => void): void {
    const [ready, waiting] = partition(this.#waiters, ({ target }) => target <= this.#settled);
    this.#waiters = waiting;
    for (const waiter of ready) settle(waiter);
  }

  /** Replaces pending edits by the document's whole state, which omits deleted content. */
  async #fold(): Promise<void> {
    const last = this.#waiting.at(-1);
    if (this.#isFolding || !last) return;
    this.#isFolding = true;
    const update = await encodeInTurns(this.document, NOTHING_KNOWN);
    this.#isFolding = false;
    // Later edits stay as they are; the list is empty if all edits were taken meanwhile.
    const folded = this.#waiting.splice(0, this.#waiting.indexOf(last) + 1);
    if (folded.length === 0) return;
    for (const edits of folded) this.#waitingBytes -= edits.update.length;
    this.putBack({ ...last, update, count: countOf(folded) }, []);
  }

  /** Resolves once everything that has arrived so far is committed. @throws when it is lost. */
  whenCommitted(): Promise<void> {
    const target = this.#arrived;
    if (target <= this.#settled) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ target, resolve, reject }));
  }

  /** Resolves once everything that has arrived so far is committed or lost. */
  whenSettled(): Promise<void> {
    return this.whenCommitted().catch(() => undefined);
  }

  /** The approximate stored size of the document, including its history. */
  get storedBytes(): number {
    return this.snapshotBytes + this.logBytes;
  }

  /** How many edits and changes are not committed. */
  get unsaved(): number {
    return this.#arrived - this.#settled;
  }

  /** Whether edits or changes have not been passed to the database yet. */
  get hasWaiting(): boolean {
    return this.#waiting.length + this.#changes.length > 0;
  }

  get hasUnsaved(): boolean {
    return this.unsaved > 0;
  }

  /** Whether the database is known to hold everything in memory. */
  get isStored(): boolean {
    return !this.hasUnsaved && this.reconciling === undefined;
  }

  /** Resolves once everything in memory is stored or lost. */
  async whenStored(): Promise<void> {
    await this.reconciling;
    await this.whenSettled();
  }
}

export const notStoredYet = () =>
  new AppError('UNAVAILABLE', 'The change could not be stored in time. Try again.');

function joined(all: readonly Edits[]): Edits {
  const last = all.at(-1);
  if (!last) throw new Error('There are no edits to be committed.');
  if (all.length === 1) return last;
  return { ...last, update: mergeUpdates(all.map(({ update }) => update)), count: countOf(all) };
}

const countOf = (all: readonly Edits[]): number => all.reduce((sum, { count }) => sum + count, 0);

/** Returns the items that match, and those that do not. */
function partition<Item>(
  items: readonly Item[],
  matches: (item: Item) => boolean,
): [Item[], Item[]] {
  return [items.filter(matches), items.filter((item) => !matches(item))];
}
