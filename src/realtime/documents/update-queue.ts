import type { LiveChange } from '../../platform/live-documents.ts';
import { BackgroundLoop } from '../../platform/loops/background-loop.ts';
import { waitFor } from '../../platform/wait-for.ts';
import { takeBatch } from './batch.ts';
import { BatchCommitter, type CommitDependencies } from './commit-batch.ts';
import { CommitDelay } from './commit-delay.ts';
import type { OpenDocument } from './open-document.ts';
import type { Edits } from './pending-edits.ts';

/** The most documents that are locked together while changes are made in them. */
const MAX_LOCKED_DOCUMENTS = 100;

/**
 * Commits edits in groups: one transaction at a time stores the edits that arrived, in any document, while
 * the queue gathered edits or the previous transaction ran. So a thousand typing users cause a few
 * transactions, and the edits of ten users in one document become one update of its log. A change that a
 * caller waits for is committed at once, and so is the first edit after a quiet period. While the database
 * is unreachable, editing continues in memory, and the edits wait here.
 */
export class UpdateQueue {
  readonly #deps: CommitDependencies;
  /** Documents with edits or changes that are in no transaction yet. */
  readonly #dirty = new Set<OpenDocument>();
  readonly #delay = new CommitDelay();
  readonly #committer: BatchCommitter;
  readonly #loop: BackgroundLoop;
  #emptied: PromiseWithResolvers<void> | undefined;
  /** Whether it is the turn of documents that must be locked before changes are made in them. */
  #isLockingTurn = false;

  constructor(deps: CommitDependencies) {
    this.#deps = deps;
    this.#committer = new BatchCommitter(deps, this.#dirty);
    this.#loop = new BackgroundLoop(deps, {
      name: 'update-queue',
      run: () => this.#commitNext(),
      failure: 'Edits wait in memory until the database is back.',
    });
    this.#loop.start();
  }

  addEdit(openDoc: OpenDocument, edit: Omit<Edits, 'count'>): void {
    openDoc.edits.add(edit);
    this.#wake(openDoc);
  }

  /**
   * Adds a change, which is made and stored without delay, on top of the edits that any process stored
   * before it. Resolves once it is stored.
   *
   * @throws the error of `make`; NOT_FOUND when the document no longer exists
   */
  addChange(openDoc: OpenDocument, change: LiveChange): Promise<void> {
    const committed = openDoc.changes.add(change);
    this.#delay.hurry();
    this.#wake(openDoc);
    return committed;
  }

  /** Stores the edits of a document that have arrived so far, without delay. Call this when a caller waits for them. */
  async settle({ edits }: OpenDocument): Promise<void> {
    if (edits.unsettledCount === 0) return;
    this.#delay.hurry();
    await edits.whenSettled();
  }

  #wake(openDoc: OpenDocument): void {
    if (this.#dirty.size === 0) this.#delay.begin();
    this.#dirty.add(openDoc);
    this.#loop.wake();
  }

  /** Commits pending edits. @returns how many updates were not stored before the deadline. */
  async drain(deadlineMs: number): Promise<number> {
    this.#delay.disable();
    await waitFor(this.#whenEmpty(), deadlineMs);
    await this.#loop.stop();
    return [...this.#dirty].reduce((count, { unsavedCount }) => count + unsavedCount, 0);
  }

  async #whenEmpty(): Promise<void> {
    await this.#loop.idle();
    if (this.#dirty.size === 0) return;
    this.#emptied = Promise.withResolvers();
    await this.#emptied.promise;
  }

  /** @returns whether there is more to commit */
  async #commitNext(): Promise<boolean> {
    await this.#delay.wait(this.#committer.lastCommitMs);
    const dirty = [...this.#dirty];
    const toLock = dirty
      .filter(({ changes }) => changes.mustLockReservations)
      .slice(0, MAX_LOCKED_DOCUMENTS);
    const others = dirty.filter(({ changes }) => !changes.mustLockReservations);
    // Documents to lock take turns with all others, so that many calls cannot hold up edits.
    this.#isLockingTurn = toLock.length > 0 && (!this.#isLockingTurn || others.length === 0);
    // The edits left for the next commit have waited as long as those in this one, so that commit is not delayed.
    if (toLock.length > 0) this.#delay.hurry();
    if (this.#isLockingTurn) {
      await this.#committer.commitLocked(toLock);
    } else {
      const batch = takeBatch(this.#dirty, this.#deps.clock, others);
      if (batch.some(({ openDoc }) => openDoc.hasWaitingWork)) this.#delay.hurry();
      await this.#committer.commit(batch);
    }
    if (this.#dirty.size === 0) this.#emptied?.resolve();
    return this.#dirty.size > 0;
  }
}
