import type { Doc } from 'yjs';
import {
  type AnchoredPart,
  anchorPassage,
  type FoundPassage,
  resolvePassage,
} from '../content/passages/anchored-passage.ts';
import {
  findPassage,
  type PassageProblem,
  type QuotedPassage,
} from '../content/passages/find-passage.ts';
import { joinTexts } from '../content/passages/joined-text.ts';
import { replaceParts } from '../content/passages/replace-parts.ts';
import { type Declared, textRootOf } from '../present-editor.ts';

/**
 * Replaces a quoted passage by the smallest change.
 *
 * @returns the reason why it is not replaced
 * @throws {ContentMismatch} when the content is no text.
 */
export function replaceQuoted(
  doc: Doc,
  declared: Declared | undefined,
  passage: QuotedPassage,
): PassageProblem | undefined {
  const found = findPassage(textRootOf(doc, declared), passage);
  if ('problem' in found) return found.problem;
  replaceParts(doc, found.parts);
  return undefined;
}

/** Replaces anchored passages in one transaction, each as a whole or not at all. */
export function replaceAnchored(
  doc: Doc,
  declared: Declared,
  passages: AnchoredPart[][],
): Array<PassageProblem | undefined> {
  const root = textRootOf(doc, declared);
  return doc.transact(() =>
    passages.map((anchored) => {
      const found = resolvePassage(root, anchored);
      if ('problem' in found) return found.problem;
      replaceParts(doc, found.parts);
      return undefined;
    }),
  );
}

/** Finds quoted passages, and anchors them. @throws {ContentMismatch} when the content is no text. */
export function anchorPassages(
  doc: Doc,
  declared: Declared,
  passages: QuotedPassage[],
): FoundPassage[] {
  const root = textRootOf(doc, declared);
  const joined = joinTexts(root);
  return passages.map((passage) => anchorPassage(root, joined, passage));
}
