import { type AppError, invalidField } from '../../../platform/errors.ts';
import type { WorkerPool } from '../../../platform/worker-pool.ts';
import { ContentMismatch, type ContentType } from '../content/content-type.ts';
import {
  type Job,
  type JobResult,
  performJob,
  type ResultOf,
  type SplitUpdate,
  type StoredContent,
  serialize,
  type TaskKind,
} from './jobs.ts';

const WORKER = new URL('./worker.ts', import.meta.url);

/** The most bytes of text, and of other content, that this thread can compare without blocking other work for long. */
const MAX_SMALL_TEXT_BYTES = 64 * 1024;
const MAX_SMALL_STRUCTURE_BYTES = 8 * 1024;

/** Whether content of this many bytes, old and new together, is too large for one turn of this thread. */
export const isLarge = (type: ContentType | null | undefined, bytes: number): boolean =>
  bytes > (type === 'text' ? MAX_SMALL_TEXT_BYTES : MAX_SMALL_STRUCTURE_BYTES);

/**
 * Runs a small job at once, and a large job in a worker thread.
 *
 * @throws INVALID_ARGUMENT for content that cannot be stored or read as requested.
 */
export async function runJob<Kind extends TaskKind>(
  workerPool: WorkerPool,
  job: Job & { kind: Kind },
): Promise<ResultOf<Kind>> {
  const message = serialize(job);
  const outcome = isLarge(typeOf(job), bytesOf(message))
    ? await workerPool.run<JobResult>(WORKER, message)
    : performJob(message);
  if ('mismatch' in outcome) throw mismatchError(outcome.mismatch);
  return outcome.value as ResultOf<Kind>;
}

const typeOf = (job: Job): ContentType | null =>
  job.kind === 'replace' ? job.replacement.type : (job.stored?.contentType ?? null);

export const bytesOfStored = ({
  snapshot,
  updates,
}: Pick<StoredContent, 'snapshot' | 'updates'>): number =>
  updates.reduce((sum, update) => sum + update.length, snapshot?.length ?? 0);

/** The size of a serialized job, in bytes or about as many UTF-16 units. */
function bytesOf(job: Job): number {
  const stored = job.stored ? bytesOfStored(job.stored) : 0;
  switch (job.kind) {
    case 'replace':
      return stored + String(job.replacement.data).length;
    case 'restore':
      return stored + (job.past.snapshot?.length ?? 0) + job.past.rows.length;
    case 'anchorPassages':
    case 'replacePassages':
      // Each part of each passage is searched in the whole text.
      return stored * job.passages.flat().length;
    case 'missing':
    case 'split':
      return stored + job.update.length;
    default:
      return stored;
  }
}

/** Splits an update into parts; a large one in a worker thread. @throws Error when it is malformed. */
export const splitInWorker = (workerPool: WorkerPool, update: Uint8Array): Promise<SplitUpdate> =>
  runJob(workerPool, { kind: 'split', stored: undefined, update });

/** Runs `work` in this thread, and turns a content mismatch into the error that `runJob` throws. */
export function translateMismatch<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    throw mismatchError(error);
  }
}

function mismatchError({ reason, message }: Pick<ContentMismatch, 'reason' | 'message'>): AppError {
  const path = reason === 'root_type' ? 'type' : 'data';
  return invalidField(path, message);
}
