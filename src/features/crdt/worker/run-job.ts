import { type AppError, invalidArgument } from '../../../platform/errors.ts';
import type { Threads } from '../../../platform/threads.ts';
import type { ContentMismatch } from '../content/content-mismatch.ts';
import type { ContentType } from '../content/content-type.ts';
import {
  type Job,
  type JobResult,
  perform,
  type Results,
  type SplitUpdate,
  type Stored,
} from './jobs.ts';

const WORKER = new URL('./worker.ts', import.meta.url);

/** What can be read and compared in this thread without holding it up; nodes cost more than text. */
const SMALL_TEXT = 64 * 1024;
const SMALL_STRUCTURE = 8 * 1024;

/** Whether content of so many bytes, before and after, is too much for one turn of this thread. */
export const isLarge = (type: ContentType | null | undefined, bytes: number): boolean =>
  bytes > (type === 'text' ? SMALL_TEXT : SMALL_STRUCTURE);

/** About how many bytes there are in content that somebody sent; no more is counted than matters. */
export function sizeOf(data: unknown): number {
  const pending: unknown[] = [data];
  let bytes = 0;
  for (let next = pending.pop(); next !== undefined && bytes <= SMALL_TEXT; next = pending.pop()) {
    bytes += typeof next === 'string' ? next.length : BYTES_OF_OTHERS;
    if (typeof next !== 'object' || next === null) continue;
    for (const key in next) {
      bytes += key.length;
      if (bytes > SMALL_TEXT) break;
      pending.push((next as Record<string, unknown>)[key]);
    }
  }
  return bytes;
}

const BYTES_OF_OTHERS = 4;

/**
 * Does a job: a small one at once, a large one in a thread of its own.
 *
 * @throws INVALID_ARGUMENT for content that cannot be stored or read as asked.
 */
export async function runJob<Kind extends Job['kind']>(
  threads: Threads,
  job: Job & { kind: Kind },
): Promise<Results[Kind]> {
  const message = packed(job);
  const outcome = isLarge(typeOf(job), bytesOf(message))
    ? await threads.run<JobResult>(WORKER, message)
    : perform(job);
  if ('mismatch' in outcome) throw mismatch(outcome.mismatch);
  return outcome.value as Results[Kind];
}

/** Copying JSON as text holds this thread up for less long than copying its values one by one. */
const packed = (job: Job): Job =>
  job.kind === 'replace' && job.wanted.type !== 'text' && job.wanted.type !== 'xml'
    ? { ...job, wanted: { ...job.wanted, data: JSON.stringify(job.wanted.data), isPacked: true } }
    : job;

const typeOf = (job: Job): ContentType | null =>
  job.kind === 'replace' ? job.wanted.type : job.stored.contentType;

export const bytesOfStored = ({
  snapshot,
  updates,
}: Pick<Stored, 'snapshot' | 'updates'>): number =>
  updates.reduce((sum, update) => sum + update.length, snapshot?.length ?? 0);

/** Of a job that is packed: its content is text. */
function bytesOf(job: Job): number {
  const stored = bytesOfStored(job.stored);
  if (job.kind === 'replace') return stored + String(job.wanted.data).length;
  if (job.kind === 'split' || job.kind === 'missing') return stored + job.update.length;
  return job.kind === 'restore' ? stored + job.snapshot.length : stored;
}

/** A large update in parts, to be applied one after the other. @throws Error when it is none. */
export const splitInWorker = (threads: Threads, update: Uint8Array): Promise<SplitUpdate> =>
  runJob(threads, { kind: 'split', stored: NOTHING, update });

export const NOTHING: Stored = { snapshot: null, updates: [], contentKey: null, contentType: null };

export function mismatch({
  reason,
  message,
}: Pick<ContentMismatch, 'reason' | 'message'>): AppError {
  const path = reason === 'root_type' ? 'type' : 'data';
  return invalidArgument(`${path}: ${message}`, { details: { issues: [{ path, message }] } });
}
