import { invalidArgument } from '../../../platform/errors.ts';
import { Pace } from '../../../platform/turns.ts';
import type { FullAnnotation } from '../annotation-row.ts';

/** In characters of JSON. An annotation is read, told and answered as a whole. */
const MAX_LENGTH = 2 * 1024 * 1024;

/** Why an annotation takes no more. */
export const NO_ROOM = 'An annotation holds at most 2 MB.';

/** Whether the parts of an annotation that grow are within what it may hold. */
export async function hasRoom(parts: Iterable<unknown>): Promise<boolean> {
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
export async function requireRoom({ comments, reactions, people }: FullAnnotation): Promise<void> {
  if (await hasRoom([...comments, ...reactions, ...people])) return;
  throw invalidArgument(NO_ROOM);
}
