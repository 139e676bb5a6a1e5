import * as Y from 'yjs';
import { nextLongTurn } from '../../../platform/event-loop.ts';
import type { WorkerPool } from '../../../platform/worker-pool.ts';
import { applyStored, type StoredDocument } from '../log/load-stored.ts';
import { bytesOfStored, runJob } from './run-job.ts';

/** An update of this size has a few thousand items at most, and is applied in one turn of the event loop. */
export const MAX_BYTES_AT_ONCE = 64 * 1024;

/** Applies each update in a turn of its own while `mayContinue` is true. Returns whether all were applied. */
export async function applyInParts(
  doc: Y.Doc,
  parts: readonly Uint8Array[],
  origin: unknown,
  mayContinue: () => boolean,
): Promise<boolean> {
  for (const part of parts) {
    await nextLongTurn();
    if (!mayContinue()) return false;
    Y.applyUpdate(doc, part, origin);
  }
  return true;
}

/** Fills a new document with its stored content. */
export async function fillDocument(
  workerPool: WorkerPool,
  doc: Y.Doc,
  stored: StoredDocument,
): Promise<void> {
  if (bytesOfStored(stored) <= MAX_BYTES_AT_ONCE) return applyStored(doc, stored);
  const parts = await runJob(workerPool, { kind: 'parts', stored });
  await applyInParts(doc, parts, undefined, () => true);
}
