import type { Queue } from 'pg-boss';
import type { z } from 'zod';

/** A kind of background job. Its handler is defined separately. */
export interface Job<Payload extends object> {
  /** Feature first, e.g. `folders.delete`. */
  name: string;
  payload: z.ZodType<Payload>;
  /** At most one job of this kind with the same key is waiting or running. */
  keyOf(payload: Payload): string;
  /** Options of a kind with many jobs. Such a job is added only once per key, even after it is done. */
  bulk?: BulkOptions<Payload>;
}

interface BulkOptions<Payload> {
  groupOf(payload: Payload): string;
  /** How many jobs run at a time in one process, and how many of one group. */
  workers: number;
  perGroup: number;
  queue: Omit<Queue, 'name'>;
}

/** Runs the jobs of one kind. */
export interface JobHandler<Context> {
  name: string;
  bulk: Omit<BulkOptions<never>, 'groupOf'> | undefined;
  /** `attempt` counts from 1. @returns the outcome, which is stored with the job */
  run(context: Context, payload: unknown, signal: AbortSignal, attempt?: number): Promise<unknown>;
}

/**
 * Defines the handler of a job. `work` may be repeated after a crash, or run twice at the same
 * time, so it must be idempotent. Between its steps it checks `signal` (`signal.throwIfAborted()`).
 */
export function handleJob<Context, Payload extends object>(
  job: Job<Payload>,
  work: (
    context: Context,
    payload: Payload,
    signal: AbortSignal,
    attempt?: number,
  ) => Promise<unknown>,
): JobHandler<Context> {
  return {
    name: job.name,
    bulk: job.bulk,
    run: (context, payload, ...rest) => work(context, job.payload.parse(payload), ...rest),
  };
}

/** Thrown by work that waits for something, or that was refused for now and has itself logged why. */
export class RetryLater extends Error {
  /** The shortest delay before the next attempt. */
  readonly afterMs: number;

  constructor(afterMs: number) {
    super('The job will be tried again later.');
    this.afterMs = afterMs;
  }
}
