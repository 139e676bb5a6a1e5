import { setTimeout as wait } from 'node:timers/promises';
import { parseUpdateMeta } from 'yjs';
import type { Services } from '../../api/context.ts';
import { readClientOwners } from '../../features/crdt/log/client-owners.ts';
import {
  applyStored,
  loadStored,
  type StoredDocument,
} from '../../features/crdt/log/load-stored.ts';
import { MAX_BYTES_AT_ONCE } from '../../features/crdt/worker/apply-in-parts.ts';
import { bytesOfStored, runJob, splitInWorker } from '../../features/crdt/worker/run-job.ts';
import type { WorkerPool } from '../../platform/worker-pool.ts';
import { EMPTY_STATE_VECTOR, encodeInTurns } from './encode-in-turns.ts';
import type { OpenDocument } from './open-document.ts';
import type { UpdateQueue } from './update-queue.ts';
import { COMMITTED } from './withheld-updates.ts';

const COMPARE_RETRY_MS = 1_000;

export interface ReconcilerDependencies extends Pick<Services, 'db' | 'log' | 'workerPool'> {
  queue: UpdateQueue;
  /** Called when everything in the document is stored. */
  onSaved: (openDoc: OpenDocument) => void;
}

/** Compares documents in memory with the database, and adds to each the edits that only the other has. */
export class Reconciler {
  readonly #deps: ReconcilerDependencies;
  #isStopped = false;

  constructor(deps: ReconcilerDependencies) {
    this.#deps = deps;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Stores edits that the database lacks. A crashed process may have broadcast its last edits to this
   * process without storing them. Its clients then find these edits here, and do not send them again.
   */
  reconcile(openDoc: OpenDocument): Promise<void> | undefined {
    if (!openDoc.mayDiffer || this.#isStopped) return openDoc.reconciling;
    openDoc.isComparisonDue = true;
    openDoc.reconciling ??= this.#compare(openDoc);
    return openDoc.reconciling;
  }

  /** Compares a document with the database, and again while callers have asked for it since the comparison began. */
  async #compare(openDoc: OpenDocument): Promise<void> {
    while (openDoc.isComparisonDue && !this.#isStopped && !openDoc.document.isDestroyed) {
      openDoc.isComparisonDue = openDoc.mayDiffer = false;
      try {
        const stored = await loadStored(this.#deps.db, openDoc.name);
        if (!openDoc.document.isDestroyed) await this.#exchange(openDoc, stored);
      } catch (error) {
        openDoc.isComparisonDue = openDoc.mayDiffer = true;
        this.#deps.log.warn(
          { err: error },
          'A live document could not be compared with the database.',
        );
        await wait(COMPARE_RETRY_MS);
      }
    }
    openDoc.reconciling = undefined;
    if (openDoc.isStored) this.#deps.onSaved(openDoc);
  }

  async #exchange(openDoc: OpenDocument, stored: StoredDocument | undefined): Promise<void> {
    const update = await runJob(this.#deps.workerPool, {
      kind: 'missing',
      stored,
      update: await encodeInTurns(openDoc.document, EMPTY_STATE_VECTOR),
    });
    if (openDoc.document.isDestroyed) return;
    // Content that was deleted and created again is not applied. Storing fails, and the document is evicted.
    if (stored && openDoc.adoptLog(stored.logId)) {
      await applyUpTo(this.#deps.workerPool, openDoc, stored, Number(stored.version));
    }
    if (!update) return;
    const userId = await this.#authorOf(openDoc, update);
    this.#deps.queue.addEdit(openDoc, { update, userId });
  }

  /** Returns a user who made these edits; undefined for long edits: to read them would block the process. */
  async #authorOf({ name }: OpenDocument, update: Uint8Array): Promise<string | undefined> {
    if (update.length > MAX_BYTES_AT_ONCE) return undefined;
    const clients = [...parseUpdateMeta(update).from.keys()];
    const owners = await readClientOwners(this.#deps.db, name, clients);
    return [...owners.values()].at(-1);
  }
}

/** Applies stored content up to a version. Connected editors receive it. */
export async function applyUpTo(
  workerPool: WorkerPool,
  openDoc: OpenDocument,
  stored: Pick<StoredDocument, 'snapshot' | 'updates'>,
  version: number,
): Promise<void> {
  const { document } = openDoc;
  if (bytesOfStored(stored) <= MAX_BYTES_AT_ONCE) {
    document.transact(() => applyStored(document, stored), COMMITTED);
  } else {
    const { snapshot, updates } = stored;
    for (const update of snapshot ? [snapshot, ...updates] : updates) {
      const { parts } = await splitInWorker(workerPool, update);
      await openDoc.partsApplier.apply(parts, { whole: update });
    }
  }
  openDoc.version = Math.max(openDoc.version, version);
}
