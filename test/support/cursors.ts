import {
  createAbsolutePositionFromRelativePosition,
  createRelativePositionFromTypeIndex,
  type Doc,
  type RelativePosition,
  type Text,
} from 'yjs';

/** A cursor as editors keep it: beside a character, not at a number. */
export const absolutePositionToRelative = (text: Text, index: number): RelativePosition =>
  createRelativePositionFromTypeIndex(text, index);

/** Where the cursor stands now. */
export const relativePositionToIndex = (doc: Doc, cursor: RelativePosition): number | undefined =>
  createAbsolutePositionFromRelativePosition(cursor, doc)?.index;
