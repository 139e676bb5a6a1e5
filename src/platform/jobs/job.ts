import type { z } from 'zod';

/** A kind of background job. Its handler is defined separately. */
export interface Job<Payload extends object> {
  /** Feature first, e.g. `folders.delete`. */
  name: string;
  payload: z.ZodType<Payload>;
  /** At most one job of this kind with the same key is waiting or running. */
  keyOf(payload: Payload): string;
}

/** A job's handler as the queue sees it. */
export interface JobHandler<Context> {
  name: string;
  /** `attempt` counts from 1. */
  run(context: Context, payload: unknown, signal: AbortSignal, attempt?: number): Promise<void>;
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
  ) => Promise<void>,
): JobHandler<Context> {
  return {
    name: job.name,
    run: (context, payload, ...rest) => work(context, job.payload.parse(payload), ...rest),
  };
}
