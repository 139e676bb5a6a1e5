import type { Doc } from 'yjs';
import { offsetAt, readText } from '../../../../platform/anchors/texts.ts';
import { replacePassage } from '../replace-text.ts';
import type { PassagePart } from './find-passage.ts';

/** Replaces the parts of a passage by the smallest change, in one transaction. Formats are kept. */
export function replaceParts(doc: Doc, parts: readonly PassagePart[]): void {
  // Replacing from the end on leaves the positions of the parts before it valid.
  const fromEnd = parts.toSorted((one, other) => other.start - one.start);
  doc.transact(() => {
    for (const { text, start, quote, replacement } of fromEnd) {
      const offset = offsetAt(readText(text).indexes, start);
      replacePassage(text, { offset, quote, replacement });
    }
  });
}
