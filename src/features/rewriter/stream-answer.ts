import { type TrackedEnvelope, tracked } from '@trpc/server';
import type { KeyContext } from '../../api/context.ts';
import { knownModel } from '../models/models.ts';
import { problemMessage } from '../models/problems.ts';
import { askModel } from './ask-model.ts';
import type { AskAiItem, StreamAnswerInput } from './schema.ts';
import { acquireRewritePermit, requireUsersMayRewrite } from './user-rewrites.ts';

/** The id of the item that ends the answer. */
const LAST_ITEM_ID = 'end';

/**
 * Streams the answer of a model to a subscription. tRPC clients reconnect when their connection
 * breaks. A second answer would differ and cost money, so a reconnecting client is told that the
 * first answer was interrupted.
 *
 * @throws PERMISSION_DENIED if the key does not let its users ask models; RESOURCE_EXHAUSTED if a user starts
 *   too many rewrites
 */
export async function* streamAnswer(
  ctx: KeyContext,
  { lastEventId, ...input }: StreamAnswerInput,
): AsyncGenerator<TrackedEnvelope<AskAiItem>> {
  requireUsersMayRewrite(ctx);
  if (lastEventId === LAST_ITEM_ID) return;
  if (lastEventId !== undefined) {
    const error = problemMessage('broken_off', knownModel(input.model).provider);
    yield tracked(LAST_ITEM_ID, { type: 'error', error });
    return;
  }
  const release = await acquireRewritePermit(ctx);
  try {
    let count = 0;
    for await (const item of askModel(ctx, input, { stream: true })) {
      count += 1;
      yield tracked(item.type === 'text' ? String(count) : LAST_ITEM_ID, item);
    }
  } finally {
    release();
  }
}
