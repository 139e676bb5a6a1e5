import { TRPCError } from '@trpc/server';
import { AppError, STATUSES } from '../../platform/errors.ts';
import { toAppError } from '../failures.ts';

/** How a stream ended: without a failure when the client left or everything was said. */
export interface StreamEnd {
  failure: AppError | undefined;
  items: number;
}

interface Guard {
  /** Finds the better reason for a failure that was met on the way, where there is one. */
  explain(failure: AppError): Promise<AppError>;
  onEnd(end: StreamEnd): void;
}

/**
 * What a subscription gives, until the signal fires, whatever it waits for then. A reason that is a
 * failure is told to the client, any other means that nobody listens any more.
 */
export async function* guardStream<Item>(
  source: AsyncIterable<Item>,
  signal: AbortSignal,
  { explain, onEnd }: Guard,
): AsyncGenerator<Item, void> {
  const iterator = source[Symbol.asyncIterator]();
  const end: StreamEnd = { failure: undefined, items: 0 };
  try {
    for (;;) {
      const result = await unlessAborted(iterator.next(), signal);
      if (result.done) return;
      end.items++;
      yield result.value;
    }
  } catch (error) {
    const found = failureOf(error, signal);
    if (!found) return;
    const failure = signal.aborted ? found : await explain(found);
    end.failure = failure;
    // tRPC tells its clients by the code whether to come back.
    throw new TRPCError({ code: STATUSES[failure.status].trpc, cause: failure });
  } finally {
    // Not awaited: it may be in the middle of something that takes long.
    iterator.return?.()?.catch(() => undefined);
    onEnd(end);
  }
}

function failureOf(error: unknown, signal: AbortSignal): AppError | undefined {
  if (!signal.aborted) return toAppError(error);
  return signal.reason instanceof AppError ? signal.reason : undefined;
}

/** Unlike a race, it leaves nothing behind on the signal for every item that was waited for. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
