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

/** The change to a thread that the user sees until the server has responded to the write. */
export type Preview = Omit<PendingWrite, 'annotationId'>;

/** The input of a write, with the id of its thread. A new thread gets a random id by default. */
type WithThreadId<Input> = Input & { annotationId: string };

/** The client's shared state, the document of a write, and the options of its call. */
export interface WriteContext extends Collaboration {
  documentRef: DocumentRef;
  options: WriteOptions;
}

/** A kind of write to the threads of a document. */
export interface ThreadWrite<Input, Output> {
  /** Returns the change that shows the write until the server has responded. */
  preview(input: WithThreadId<Input>, self: User, context: WriteContext): Preview;
  send(input: WithThreadId<Input>, context: WriteContext): Promise<Output>;
  /** Returns the change that shows the write after the response, if the response adds something, such as an id. */
  previewAfterResponse?(input: Input, output: Output, self: User, context: WriteContext): Preview;
}

/**
 * Returns a function that shows a write at once, sends it, and undoes it if it fails. Writes to a document's threads
 * are sent one after the other, in the order in which the user made them.
 */
export function writerOf<Input extends { annotationId?: string | undefined }, Output>(
  client: CollaborationClient,
  documentRef: DocumentRef,
  { preview, send, previewAfterResponse }: ThreadWrite<Input, Output>,
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
      const sent = { ...write, ...previewAfterResponse?.(input, output, self, context) };
      replaceWrite(context, write, sent);
      void confirm(context, sent);
      return output;
    } catch (error) {
      removeWrite(context, write);
      throw error;
    }
  };
}

/** Reads the thread again, unless an event has already brought it with the write. Then removes the preview. */
async function confirm(context: WriteContext, write: PendingWrite): Promise<void> {
  const { annotationId } = write;
  try {
    const received = changesOf(context).received.get(annotationId)?.thread;
    if (received && write.isReflectedIn(received)) return;
    await rereadThread(context, annotationId);
  } catch {
    // Ignored: the user may have lost access by now.
  } finally {
    removeWrite(context, write);
  }
}

/**
 * Reads a thread again, in case the event of its last change was missed. The cache repeats the read while the server
 * cannot be reached.
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
