import { type AppError, invalidField } from '../../../platform/errors.ts';
import type { WorkerPool } from '../../../platform/worker-pool.ts';
import { ContentMismatch, type ContentType } from '../content/content-type.ts';
import {
  type Job,
  type JobResult,
  performJob,
  type ResultOf,
  type SplitUpdate,
  type Stored,
  type TaskKind,
} from './jobs.ts';

const WORKER = new URL('./worker.ts', import.meta.url);

/** Sizes in bytes that this thread can compare without blocking; nodes cost more than text. */
const SMALL_TEXT = 64 * 1024;
const SMALL_STRUCTURE = 8 * 1024;

/** Whether content of this many bytes, old and new, is too large for one turn of this thread. */
export const isLarge = (type: ContentType | null | undefined, bytes: number): boolean =>
  bytes > (type === 'text' ? SMALL_TEXT : SMALL_STRUCTURE);

/**
 * Runs a small job at once, and a large job in a worker thread.
 *
 * @throws INVALID_ARGUMENT for content that cannot be stored or read as requested.
 */
export async function runJob<Kind extends TaskKind>(
  workerPool: WorkerPool,
  job: Job & { kind: Kind },
): Promise<ResultOf<Kind>> {
  const message = serialized(job);
  const outcome = isLarge(typeOf(job), bytesOf(message))
    ? await workerPool.run<JobResult>(WORKER, message)
    : performJob(job);
  if ('mismatch' in outcome) throw mismatch(outcome.mismatch);
  return outcome.value as ResultOf<Kind>;
}

/** Serializes JSON content: passing text to a thread takes less time than cloning its values. */
const serialized = (job: Job): Job =>
  job.kind === 'replace' && job.replacement.type !== 'text' && job.replacement.type !== 'xml'
    ? {
        ...job,
        replacement: {
          ...job.replacement,
          data: JSON.stringify(job.replacement.data),
          isSerialized: true,
        },
      }
    : job;

const typeOf = (job: Job): ContentType | null =>
  job.kind === 'replace' ? job.replacement.type : job.stored.contentType;

export const bytesOfStored = ({
  snapshot,
  updates,
}: Pick<Stored, 'snapshot' | 'updates'>): number =>
  updates.reduce((sum, update) => sum + update.length, snapshot?.length ?? 0);

/** The size of a serialized job, in bytes or about as many UTF-16 units. */
function bytesOf(job: Job): number {
  const stored = bytesOfStored(job.stored);
  // Each part of each passage is searched in the whole text.
  if ('passages' in job) return stored * job.passages.flat().length;
  if (job.kind === 'replace') return stored + String(job.replacement.data).length;
  if (job.kind === 'split' || job.kind === 'missing') return stored + job.update.length;
  if (job.kind !== 'restore') return stored;
  return stored + (job.past.snapshot?.length ?? 0) + job.past.rows.length;
}

/** Splits a large update into parts, in a worker thread. @throws Error when it is malformed. */
export const splitInWorker = (workerPool: WorkerPool, update: Uint8Array): Promise<SplitUpdate> =>
  runJob(workerPool, { kind: 'split', stored: NO_CONTENT, update });

export const NO_CONTENT: Stored = {
  snapshot: null,
  updates: [],
  contentKey: null,
  contentType: null,
};

/** Runs work on content in this thread. @throws INVALID_ARGUMENT as `runJob`. */
export function refuseMismatch<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    throw mismatch(error);
  }
}

function mismatch({ reason, message }: Pick<ContentMismatch, 'reason' | 'message'>): AppError {
  const path = reason === 'root_type' ? 'type' : 'data';
  return invalidField(path, message);
}
