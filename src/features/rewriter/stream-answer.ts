import { type TrackedEnvelope, tracked } from '@trpc/server';
import type { KeyContext } from '../../api/context.ts';
import { knownModel } from '../models/models.ts';
import { sentenceFor } from '../models/problems.ts';
import { askModel } from './ask-model.ts';
import type { AskAiItem, StreamAnswerInput } from './schema.ts';
import { admitRewrite, requireUserRewrites } from './user-rewrites.ts';

/** The id of the item that says how the answer ended. */
const LAST = 'end';

/**
 * The answer of a model while it is being written, for a subscription. Clients come back by
 * themselves when their connection breaks: a second answer, which is another and is paid for again,
 * is not given them then, but the news that the first one broke off.
 *
 * @throws PERMISSION_DENIED, RESOURCE_EXHAUSTED to users
 */
export async function* streamAnswer(
  ctx: KeyContext,
  { lastEventId, ...input }: StreamAnswerInput,
): AsyncGenerator<TrackedEnvelope<AskAiItem>> {
  requireUserRewrites(ctx);
  if (lastEventId === LAST) return;
  if (lastEventId !== undefined) {
    const error = sentenceFor('broken_off', knownModel(input.model).provider);
    yield tracked(LAST, { type: 'error', error });
    return;
  }
  const release = await admitRewrite(ctx);
  try {
    let count = 0;
    for await (const item of askModel(ctx, input, true)) {
      count += 1;
      yield tracked(item.type === 'text' ? String(count) : LAST, item);
    }
  } finally {
    release();
  }
}
