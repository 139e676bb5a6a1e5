import type { FailureDetails, User } from '../../api/contract.ts';
import type { WriteOptions } from '../client-type.ts';
import type { CollaborationClient } from '../create-client.ts';
import { CollaborationError } from '../error.ts';
import { randomId } from '../random-id.ts';
import {
  type Collaboration,
  collaborationOf,
  type DocumentRef,
  writeQueueOf,
} from './collaboration.ts';
import { oneAttempt } from './reads.ts';
import { loadSelf } from './self.ts';
import {
  addWrite,
  changesOf,
  logicalTime,
  type PendingWrite,
  removeWrite,
  replaceWrite,
  store,
} from './thread-cache.ts';

/** The change of a thread that the user sees until the server has answered the write. */
export type Preview = Omit<PendingWrite, 'annotationId'>;

/** The input of a write, with the id of its thread, which is random for a new thread. */
type WithThreadId<Input> = Input & { annotationId: string };

/** The client's shared state, the document of a write, and the options of its call. */
export interface WriteContext extends Collaboration {
  documentRef: DocumentRef;
  options: WriteOptions;
}

/** A kind of write to the threads of a document. */
export interface ThreadWrite<Input, Output> {
  /** Shows the write until the server has answered. */
  preview(input: WithThreadId<Input>, self: User, context: WriteContext): Preview;
  send(input: WithThreadId<Input>, context: WriteContext): Promise<Output>;
  /** Returns the write as it is shown after the answer, if the answer adds to it, such as the id of a reply. */
  previewAnswered?(input: Input, output: Output, self: User, context: WriteContext): Preview;
}

/**
 * Returns a function that writes: it shows the write at once, and takes it back if it fails. Writes to a
 * document's threads follow one another, in the order in which the user made them.
 */
export function writerOf<Input extends { annotationId?: string | undefined }, Output>(
  client: CollaborationClient,
  documentRef: DocumentRef,
  { preview, send, previewAnswered }: ThreadWrite<Input, Output>,
): (input: Input) => Promise<Output> {
  const collaboration = collaborationOf(client);
  const context = {
    ...collaboration,
    documentRef,
    options: { writeQueue: writeQueueOf(collaboration, documentRef) },
  };
  return async (fields) => {
    const { annotationId = randomId() } = fields;
    const input = { ...fields, annotationId };
    const self = await loadSelf(collaboration, documentRef.organizationId);
    const write = { annotationId, ...preview(input, self, context) };
    addWrite(context, write);
    try {
      const output = await send(input, context);
      const answered = { ...write, ...previewAnswered?.(input, output, self, context) };
      replaceWrite(context, write, answered);
      void confirm(context, answered);
      return output;
    } catch (error) {
      removeWrite(context, write);
      throw error;
    }
  };
}

/** Shows the stored thread in place of the write: from its event, or otherwise by a read. */
async function confirm(context: WriteContext, write: PendingWrite): Promise<void> {
  const { annotationId } = write;
  try {
    const received = changesOf(context).received.get(annotationId)?.thread;
    if (received && write.isReflectedIn(received)) return;
    await rereadThread(context, annotationId);
  } catch {
    // The user may have lost access since.
  } finally {
    removeWrite(context, write);
  }
}

/**
 * Reads a thread again, since the event of its last change may have been missed. While the server is away, the cache
 * repeats the read.
 */
export async function rereadThread(
  context: Omit<WriteContext, 'options'>,
  annotationId: string,
): Promise<void> {
  const at = logicalTime();
  const { cache, client, documentRef } = context;
  const input = { ...documentRef, annotationIds: [annotationId] };
  const { data } = await cache.fetchQuery({
    queryKey: ['thread after a write', at],
    queryFn: ({ signal }) => client.commentAnnotations.get(input, oneAttempt(signal)),
    gcTime: 0,
  });
  store(context, annotationId, { at, thread: data[0] ?? undefined });
}

/** @throws CollaborationError when the item was refused */
export function requireSuccess<
  Result extends { success: boolean; message: string; details?: FailureDetails },
>(outcomes: Record<string, Result>): Result {
  const [outcome] = Object.values(outcomes);
  if (outcome?.success) return outcome;
  throw new CollaborationError({
    status: 'FAILED_PRECONDITION',
    httpStatus: 200,
    message: outcome?.message ?? 'The thread does not exist.',
    details: outcome?.details,
  });
}
