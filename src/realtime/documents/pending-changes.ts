import type { Document } from '@hocuspocus/server';
import { pipeline } from '../../platform/database/pipeline.ts';
import type { OpenTransaction } from '../../platform/database/transaction.ts';
import type { DeclaredContent, LiveChange } from '../../platform/live-documents.ts';
import type { StagedUpdates } from './staged-updates.ts';

/** A change from a caller, with the functions that settle the promise which the caller awaits. */
export interface Change extends LiveChange {
  resolve(): void;
  reject(failure: unknown): void;
}

interface Target {
  document: Document;
  declared: DeclaredContent;
  staged: StagedUpdates;
}

/** The changes of callers in a document, from their arrival until they are committed or refused. */
export class PendingChanges {
  readonly #target: Target;
  /** The changes that are in no transaction yet. */
  #waiting: Change[] = [];
  /** The waiting changes, and those in the current transaction. */
  readonly #unsettled = new Set<Change>();
  /** The changes of failed transactions, which are in the document in memory, and wait to be made again. */
  readonly #made = new Set<Change>();
  /** The changes whose reservation of a response, if any, is locked. */
  #reserved: ReadonlySet<Change> = new Set();

  constructor(target: Target) {
    this.#target = target;
  }

  /** Resolves once the change is committed. @throws the reason why it is not */
  add(change: LiveChange): Promise<void> {
    return new Promise((resolve, reject) => {
      const pending = { ...change, resolve, reject };
      this.#waiting.push(pending);
      this.#unsettled.add(pending);
    });
  }

  /** Whether any change is in no transaction yet. */
  get areWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get unsettledCount(): number {
    return this.#unsettled.size;
  }

  /** Whether a waiting change has a reservation of a response, which must be locked before the change is made. */
  get mustLockReservations(): boolean {
    return this.#waiting.some(({ response }) => response);
  }

  /**
   * Locks the reservations of responses to waiting changes, and refuses changes whose reservation was lost.
   *
   * @returns whether the document in memory contains a refused change, so that it must not be stored
   */
  async lockReservations(tx: OpenTransaction): Promise<boolean> {
    const waiting = [...this.#waiting];
    const failures = await pipeline(waiting.map(({ response }) => response?.lock(tx)));
    this.#reserved = new Set(waiting);
    const containsRefused = waiting.some(
      (change, index) => failures[index] && this.#made.has(change),
    );
    for (const [index, change] of waiting.entries()) {
      if (failures[index]) this.#refuse(change, failures[index]);
    }
    // Only refused changes are removed, since others may have arrived meanwhile.
    this.#waiting = this.#waiting.filter((change) => this.#unsettled.has(change));
    return containsRefused;
  }

  /**
   * Takes waiting changes for a transaction, and makes them one after the other until the deadline. At least
   * one is made.
   *
   * @param deadline by `performance.now()`
   */
  take(deadline: number): Change[] {
    const made: Change[] = [];
    for (const change of [...this.#waiting]) {
      if (change.response && !this.#reserved.has(change)) break;
      this.#waiting.shift();
      if (this.#make(change)) made.push(change);
      if (performance.now() >= deadline) break;
    }
    return made;
  }

  #make(change: Change): boolean {
    const { document, declared, staged } = this.#target;
    try {
      staged.stage(() => change.make(document, declared));
      return true;
    } catch (error) {
      this.#refuse(change, error);
      return false;
    }
  }

  /** Puts changes of a failed transaction back, before those that have arrived since. */
  putBack(changes: readonly Change[]): void {
    this.#waiting.unshift(...changes);
    for (const change of changes) this.#made.add(change);
  }

  /** Notifies the callers of committed changes. */
  commit(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#forget(change);
      change.resolve();
    }
  }

  /** Refuses all changes. Call this when they can never be committed. */
  refuseAll(failure: Error): void {
    this.#waiting = [];
    for (const change of [...this.#unsettled]) this.#refuse(change, failure);
  }

  #refuse(change: Change, failure: unknown): void {
    this.#forget(change);
    change.reject(failure);
  }

  #forget(change: Change): void {
    this.#unsettled.delete(change);
    this.#made.delete(change);
  }
}
