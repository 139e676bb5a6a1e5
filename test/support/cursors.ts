import {
  createAbsolutePositionFromRelativePosition,
  createRelativePositionFromTypeIndex,
  type Doc,
  type RelativePosition,
  type Text,
} from 'yjs';

/** A cursor as editors store it: relative to a character, not as an index. */
export const absolutePositionToRelative = (text: Text, index: number): RelativePosition =>
  createRelativePositionFromTypeIndex(text, index);

/** The current index of the cursor. */
export const relativePositionToIndex = (doc: Doc, cursor: RelativePosition): number | undefined =>
  createAbsolutePositionFromRelativePosition(cursor, doc)?.index;
