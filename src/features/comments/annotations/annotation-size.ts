import { invalidArgument } from '../../../platform/errors.ts';
import { Pace } from '../../../platform/event-loop.ts';
import type { FullAnnotation } from '../annotation-row.ts';

/** The limit in characters of JSON, since an annotation is read, published and returned as a whole. */
const MAX_LENGTH = 2 * 1024 * 1024;

export const TOO_LARGE = 'An annotation holds at most 2 MB.';

/** Whether the growing parts of an annotation are within the limit. */
export async function isWithinSize(parts: Iterable<unknown>): Promise<boolean> {
  const pace = new Pace();
  let length = 0;
  for (const part of parts) {
    await pace.next();
    length += JSON.stringify(part).length;
    if (length > MAX_LENGTH) return false;
  }
  return true;
}

/** @throws INVALID_ARGUMENT when an annotation has become too large */
export async function requireSize({
  comments,
  reactions,
  subscriptions,
}: FullAnnotation): Promise<void> {
  if (await isWithinSize([...comments, ...reactions, ...subscriptions])) return;
  throw invalidArgument(TOO_LARGE);
}
