import type { TRPCUntypedClient } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { type CollaborationError, toCollaborationError } from './error.ts';
import { delay, linkedController, retryDelayMs } from './retry.ts';
import type { Semaphore } from './semaphore.ts';

interface Subscription {
  path: string;
  input: unknown;
  /** The subscription ends when the first of these fires. */
  signals: Array<AbortSignal | undefined>;
  /** Whether to resume after the last event if the subscription has failed with this error. */
  mayContinue: (error: CollaborationError) => boolean;
  /** Limits how many subscriptions run at once. */
  semaphore?: Semaphore | undefined;
  /** Called when the subscription begins, but not when it is resumed. */
  onStart?: (() => void) | undefined;
}

/**
 * Yields the items of a subscription, each once, until a signal fires. After an interruption of the shared connection,
 * tRPC's link resumes the subscription. If only this subscription fails, it is resumed here, as long as `mayContinue`
 * allows it.
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
          // Without an event to resume after, the subscription begins anew on each connection.
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

/** An item of a subscription. An item without data shows that the subscription has begun. */
interface Item {
  id?: string;
  data?: unknown;
}

/** A message from the server, such as the one that confirms a subscription (`started`). */
interface ServerMessage {
  id: unknown;
  result?: { type: string; id?: string };
}

/**
 * Turns the message that confirms a subscription into an item without data. If the message names the event after which
 * the subscription starts, tRPC's link resumes there, even if the connection is lost before the first item.
 */
export function startToItem(message: unknown): unknown {
  const { id, result } = message as ServerMessage;
  if (result?.type !== 'started') return message;
  return { id, result: { type: 'data', id: result.id, data: { json: { id: result.id } } } };
}
