import { invalidArgument } from '../../../platform/errors.ts';
import { Pace } from '../../../platform/event-loop.ts';
import type { FullAnnotation } from '../annotation-row.ts';

/** The limit in characters of JSON, since an annotation is read, published and returned as a whole. */
export const MAX_JSON_LENGTH = 2 * 1024 * 1024;
export const TOO_LARGE_MESSAGE = 'An annotation holds at most 2 MB.';

/** Returns the length of values as JSON. It stops counting once they exceed the limit. */
export async function jsonLengthOf(values: Iterable<unknown>): Promise<number> {
  const pace = new Pace();
  let length = 0;
  for (const value of values) {
    await pace.next();
    length += JSON.stringify(value).length;
    if (length > MAX_JSON_LENGTH) break;
  }
  return length;
}

/** Returns the length of the parts of an annotation that can grow. */
export const jsonLengthOfAnnotation = ({ comments, reactions, subscriptions }: FullAnnotation) =>
  jsonLengthOf([...comments, ...reactions, ...subscriptions]);

/** @throws INVALID_ARGUMENT when an annotation has become too large */
export async function requireSize(annotation: FullAnnotation): Promise<void> {
  if ((await jsonLengthOfAnnotation(annotation)) > MAX_JSON_LENGTH)
    throw invalidArgument(TOO_LARGE_MESSAGE);
}
