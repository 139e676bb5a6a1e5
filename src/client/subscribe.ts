import type { TRPCUntypedClient } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { type CollaborationError, toCollaborationError } from './error.ts';
import { delay, linkedController, retryDelayMs } from './retry.ts';
import type { Semaphore } from './semaphore.ts';

interface Subscription {
  path: string;
  input: unknown;
  /** The subscription ends with the first of these. */
  signals: Array<AbortSignal | undefined>;
  /** Whether to subscribe again after the last event, when the server ended the subscription with this error. */
  mayContinue: (error: CollaborationError) => boolean;
  /** Limits how many subscriptions run at once. */
  semaphore?: Semaphore | undefined;
  /** Called when the subscription begins, but not when it is resumed. */
  onStart?: (() => void) | undefined;
}

/**
 * Yields the items of a subscription, each once, until a signal fires. The shared connection resumes
 * by itself after an interruption; if this subscription alone fails, it is repeated here while
 * `mayContinue` allows it.
 *
 * @throws CollaborationError
 */
export async function* subscribe(
  client: TRPCUntypedClient<AnyRouter>,
  { path, input, signals, mayContinue, semaphore, onStart = () => {} }: Subscription,
): AsyncGenerator<unknown, void> {
  const controller = linkedController(...signals);
  const { signal } = controller;
  const release = signal.aborted ? undefined : await semaphore?.acquire(signal);
  let lastEventId: string | undefined;
  try {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        const resumed = lastEventId === undefined ? input : { ...(input as object), lastEventId };
        for await (const item of client.subscription(path, resumed, { signal })) {
          const { id, data } = item as Item;
          // Until there is an event to resume after, the subscription begins anew on each connection.
          if (data === undefined && lastEventId === undefined) onStart();
          lastEventId = id ?? lastEventId;
          failures = 0;
          if (data !== undefined) yield item;
        }
        return;
      } catch (cause) {
        const error = toCollaborationError(cause);
        if (signal.aborted) return;
        if (!mayContinue(error)) throw error;
        await delay(retryDelayMs(failures, error.retryAfterMs), signal).catch(() => {});
      }
    }
  } finally {
    controller.abort();
    release?.();
  }
}

/** An item of a subscription. One without data shows that the subscription has begun. */
interface Item {
  id?: string;
  data?: unknown;
}

/** The response of the server to a subscription. */
interface Started {
  id: unknown;
  result?: { type: string; id?: string };
}

/**
 * Turns the response to a subscription, which may name the event after which it starts, into an item without
 * data. tRPC's link then resumes after that event, even if the connection is lost before the first item.
 */
export function startToItem(message: unknown): unknown {
  const { id, result } = message as Started;
  if (result?.type !== 'started') return message;
  return { id, result: { type: 'data', id: result.id, data: { json: { id: result.id } } } };
}
