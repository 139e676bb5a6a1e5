import type { Doc } from 'yjs';
import { offsetAt, readText } from '../../../platform/anchors/texts.ts';
import type { DeclaredContent } from '../../../platform/live-documents.ts';
import {
  type AnchoredPart,
  anchorPassage,
  resolvePassage,
} from '../content/passages/anchored-passage.ts';
import {
  type FoundPassage,
  findPassage,
  type PassagePart,
  type PassageProblem,
  type QuotedPassage,
} from '../content/passages/find-passage.ts';
import { joinTexts } from '../content/passages/joined-text.ts';
import { replacePassage } from '../content/replace-text.ts';
import { textRootOf } from '../editor-root.ts';

/**
 * Replaces a quoted passage with the smallest possible edit.
 *
 * @returns the reason why it was not replaced; undefined if it was
 * @throws {ContentMismatch} when the content is not text.
 */
export function replaceQuoted(
  doc: Doc,
  declared: DeclaredContent,
  passage: QuotedPassage,
): PassageProblem | undefined {
  return replaceFound(doc, findPassage(textRootOf(doc, declared), passage));
}

/** Replaces anchored passages in one transaction, each as a whole or not at all. */
export function replaceAnchored(
  doc: Doc,
  declared: DeclaredContent,
  passages: AnchoredPart[][],
): Array<PassageProblem | undefined> {
  const root = textRootOf(doc, declared);
  return doc.transact(() =>
    passages.map((anchored) => replaceFound(doc, resolvePassage(root, anchored))),
  );
}

/** Replaces the parts of a passage with the smallest possible edit, in one transaction. Formats are kept. */
function replaceFound(doc: Doc, found: FoundPassage<PassagePart>): PassageProblem | undefined {
  if ('problem' in found) return found.problem;
  // Replacing the last part first leaves the positions of the parts before it valid.
  const fromEnd = found.parts.toSorted((one, other) => other.start - one.start);
  doc.transact(() => {
    for (const { text, start, quote, replacement } of fromEnd) {
      const offset = offsetAt(readText(text), start);
      replacePassage(text, { offset, quote, replacement });
    }
  });
  return undefined;
}

/** Finds quoted passages, and anchors them. @throws {ContentMismatch} when the content is not text. */
export function anchorPassages(
  doc: Doc,
  declared: DeclaredContent,
  passages: QuotedPassage[],
): FoundPassage<AnchoredPart>[] {
  const root = textRootOf(doc, declared);
  const joined = joinTexts(root);
  return passages.map((passage) => anchorPassage(root, joined, passage));
}
