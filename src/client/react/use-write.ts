import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import type { User } from '../../api/contract.ts';
import { CollaborationError } from '../error.ts';
import { type Collaboration, type Place, useCollaboration, usePlace } from './collaboration.tsx';
import { loadSelf } from './self.ts';
import { changesOf, replaceWrite, storeRead, type Write } from './thread-cache.ts';
import { readThread } from './use-thread.ts';

/** A write that is shown, and the user who made it. */
interface Shown {
  write: Write;
  self: User;
}

/**
 * A write: `mutate(input)` shows it at once and takes it back if it fails, with the reason in
 * `error`; `mutateAsync(input)` also returns a promise.
 */
export type WriteHook<Input, Output> = UseMutationResult<Output, CollaborationError, Input, Shown>;

interface WriteOptions<Input, Output> {
  plan(input: Input, self: User, collaboration: Collaboration, place: Place): Write;
  send(input: Input, collaboration: Collaboration, place: Place): Promise<Output>;
  /** The write as it is known after the answer, where that says more. */
  planAnswered?(input: Input, output: Output, self: User, collaboration: Collaboration): Write;
}

/** Writes to a document's threads follow one another, in the order in which the user made them. */
export function useWrite<Input, Output>({
  plan,
  send,
  planAnswered,
}: WriteOptions<Input, Output>): WriteHook<Input, Output> {
  const collaboration = useCollaboration();
  const { cache } = collaboration;
  const place = usePlace();
  return useMutation<Output, CollaborationError, Input, Shown>(
    {
      networkMode: 'always',
      scope: { id: JSON.stringify(place) },
      onMutate: async (input) => {
        const self = await loadSelf(collaboration, place.organizationId);
        const write = plan(input, self, collaboration, place);
        replaceWrite(cache, place, undefined, write);
        return { write, self };
      },
      mutationFn: (input) => send(input, collaboration, place),
      onError: (_error, _input, shown) => shown && replaceWrite(cache, place, shown.write),
      onSuccess: (output, input, { write, self }) => {
        const known = planAnswered?.(input, output, self, collaboration) ?? write;
        replaceWrite(cache, place, write, known);
        void confirm(collaboration, place, known);
      },
    },
    cache,
  );
}

/** Shows the stored thread in place of the write: as its event had it, or else as it is read anew. */
async function confirm(collaboration: Collaboration, place: Place, write: Write): Promise<void> {
  const { cache } = collaboration;
  const { annotationId } = write;
  try {
    const received = changesOf(cache, place).received.get(annotationId)?.thread;
    if (received && write.isIn(received)) return;
    const { thread, readAt } = await readThread(collaboration, place, annotationId);
    storeRead(cache, place, annotationId, { thread, readAt });
  } catch {
    // The event follows when the server is back.
  } finally {
    replaceWrite(cache, place, write);
  }
}

/** @throws CollaborationError when the item was refused */
export function requireSuccess<Result extends { success: boolean; message: string }>(
  outcomes: Record<string, Result>,
): Result {
  const [outcome] = Object.values(outcomes);
  if (outcome?.success) return outcome;
  throw new CollaborationError({
    status: 'FAILED_PRECONDITION',
    httpStatus: 200,
    message: outcome?.message ?? 'There is no such thread.',
  });
}
