import type { Text, XmlFragment } from 'yjs';
import {
  type AnchorPiece,
  createAnchor,
  resolveQuotes,
  textBetween,
} from '../../../../platform/anchors/anchor.ts';
import {
  findPassage,
  MAX_PRESENT,
  nearest,
  type PassagePart,
  type PassageProblem,
  type QuotedPassage,
} from './find-passage.ts';
import { type JoinedText, joinTexts } from './joined-text.ts';

/** A part of a passage that is found again after edits, and the characters that replace it. */
export interface AnchoredPart extends AnchorPiece {
  replacement: string;
}

export type FoundPassage = { parts: AnchoredPart[] } | { problem: PassageProblem };

/** Finds a quoted passage, and anchors its parts. */
export function anchorPassage(
  root: Text | XmlFragment,
  joined: JoinedText,
  passage: QuotedPassage,
): FoundPassage {
  const found = findPassage(root, passage, joined);
  if ('problem' in found) return found;
  const { pieces } = createAnchor(found.parts);
  return {
    parts: pieces.map((piece, at) => ({
      ...piece,
      replacement: found.parts[at]?.replacement ?? '',
    })),
  };
}

/** Finds the parts of an anchored passage again, all of them with the quoted text. */
export function resolvePassage(
  root: Text | XmlFragment,
  anchored: AnchoredPart[],
): { parts: PassagePart[] } | { problem: PassageProblem } {
  const ranges = resolveQuotes(root, { pieces: anchored });
  if (!ranges) return { problem: orphaned(root, anchored) };
  return {
    parts: ranges.map((range, at) => ({
      ...range,
      quote: anchored[at]?.quote ?? '',
      replacement: anchored[at]?.replacement ?? '',
    })),
  };
}

/** The present text is that between the positions, or else what is most like the quote. */
function orphaned(root: Text | XmlFragment, anchored: AnchoredPart[]): PassageProblem {
  const placed = anchored.map((part) => textBetween(root, part) ?? '').join('\n');
  const quote = anchored.map((part) => part.quote).join('\n');
  const present = placed.trim() === '' ? nearest(joinTexts(root).content, quote) : placed;
  return {
    status: 'FAILED_PRECONDITION',
    message: 'The quoted text is not there any more.',
    details: { present: present.slice(0, MAX_PRESENT).toWellFormed() },
  };
}
