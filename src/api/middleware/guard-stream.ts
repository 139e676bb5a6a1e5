import { AppError } from '../../platform/errors.ts';
import { unlessAborted } from '../../platform/wait-for.ts';
import { toAppError, toTrpcError } from '../responses/failures.ts';

export interface StreamOutcome {
  /** Undefined when the client disconnected or all items were sent. */
  failure: AppError | undefined;
  /** How many items were sent. */
  items: number;
}

interface Guard {
  /** Returns the failure to send: that of the credentials, if an access check failed because they are no longer valid. */
  preciseFailure(failure: AppError): Promise<AppError>;
  onEnd(outcome: StreamOutcome): void;
}

/**
 * Forwards the items of a subscription until the signal aborts, even while an item is awaited. If
 * the signal's reason is an `AppError`, the client receives this failure; any other reason ends the
 * stream silently.
 */
export async function* guardStream<Item>(
  source: AsyncIterable<Item>,
  signal: AbortSignal,
  { preciseFailure, onEnd }: Guard,
): AsyncGenerator<Item, void> {
  const iterator = source[Symbol.asyncIterator]();
  const outcome: StreamOutcome = { failure: undefined, items: 0 };
  try {
    for (;;) {
      const result = await unlessAborted(iterator.next(), signal);
      if (result.done) return;
      outcome.items++;
      yield result.value;
    }
  } catch (error) {
    const failure = failureOf(error, signal);
    if (!failure) return;
    outcome.failure = signal.aborted ? failure : await preciseFailure(failure);
    throw toTrpcError(outcome.failure);
  } finally {
    // Its result is not awaited, since the iterator may be busy for long.
    iterator.return?.()?.catch(() => undefined);
    onEnd(outcome);
  }
}

function failureOf(error: unknown, signal: AbortSignal): AppError | undefined {
  if (!signal.aborted) return toAppError(error);
  return signal.reason instanceof AppError ? signal.reason : undefined;
}
