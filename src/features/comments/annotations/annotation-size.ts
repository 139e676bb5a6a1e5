import { invalidArgument } from '../../../platform/errors.ts';
import { Pace } from '../../../platform/event-loop.ts';
import type { FullAnnotation } from '../annotation-row.ts';

/** The most characters of JSON in an annotation, which is always read, published and returned as a whole. */
export const MAX_JSON_LENGTH = 2 * 1024 * 1024;
export const TOO_LARGE_MESSAGE = 'An annotation may hold at most 2 MB.';

/** Returns the length of the values as JSON. Stops counting once it exceeds `MAX_JSON_LENGTH`. */
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
