import type { FailureDetails, User } from '../../api/contract.ts';
import type { WriteOptions } from '../client-type.ts';
import type { CollaborationClient } from '../create-client.ts';
import { CollaborationError } from '../error.ts';
import { randomId } from '../random-id.ts';
import { type Collaboration, collaborationOf, type DocumentRef, orderOf } from './collaboration.ts';
import { loadSelf } from './self.ts';
import {
  addWrite,
  changesOf,
  logicalTime,
  removeWrite,
  replaceWrite,
  store,
  type Write,
} from './thread-cache.ts';

/** A write as the user sees it before the server has answered. */
export type Plan = Omit<Write, 'annotationId'>;

/** The input of a write, with the id of its thread, which is random for a new thread. */
type WithThreadId<Input> = Input & { annotationId: string };

/** The client's shared state, the document of a write, and the options of its call. */
export interface WriteContext extends Collaboration {
  place: DocumentRef;
  options: WriteOptions;
}

/** A kind of write to the threads of a document. */
export interface ThreadWrite<Input, Output> {
  /** Returns the write as it is shown until the server has answered. */
  plan(input: WithThreadId<Input>, self: User, context: WriteContext): Plan;
  send(input: WithThreadId<Input>, context: WriteContext): Promise<Output>;
  /** The write as it is shown after the answer, if the answer completes it, such as by the id of a reply. */
  planAnswered?(input: Input, output: Output, self: User, context: WriteContext): Plan;
}

/**
 * Returns a function that writes: it shows the write at once, and takes it back if it fails. Writes to a
 * document's threads follow one another, in the order in which the user made them.
 */
export function writerOf<Input extends { annotationId?: string | undefined }, Output>(
  client: CollaborationClient,
  place: DocumentRef,
  { plan, send, planAnswered }: ThreadWrite<Input, Output>,
): (input: Input) => Promise<Output> {
  const collaboration = collaborationOf(client);
  const context = { ...collaboration, place, options: { order: orderOf(collaboration, place) } };
  return async (fields) => {
    const { annotationId = randomId() } = fields;
    const input = { ...fields, annotationId };
    const self = await loadSelf(collaboration, place.organizationId);
    const write = { annotationId, ...plan(input, self, context) };
    addWrite(context, write);
    try {
      const output = await send(input, context);
      const answered = { ...write, ...planAnswered?.(input, output, self, context) };
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
async function confirm(context: WriteContext, write: Write): Promise<void> {
  const { annotationId } = write;
  try {
    const received = changesOf(context).received.get(annotationId)?.thread;
    if (received && write.isReflectedIn(received)) return;
    await readAgain(context, annotationId);
  } catch {
    // The event follows when the server is back.
  } finally {
    removeWrite(context, write);
  }
}

/** Reads a thread of which a change may have been missed. */
export async function readAgain(
  context: Omit<WriteContext, 'options'>,
  annotationId: string,
): Promise<void> {
  const at = logicalTime();
  const input = { ...context.place, annotationIds: [annotationId] };
  const { data } = await context.client.commentAnnotations.get(input);
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
