import type { Text, XmlFragment } from 'yjs';
import {
  type AnchorPiece,
  createAnchor,
  quoteOf,
  resolveQuotes,
  type TextRange,
} from '../../../../platform/anchors/anchor.ts';
import {
  excerpt,
  type FoundPassage,
  findPassage,
  nearestText,
  offsetOfPosition,
  type PassagePart,
  type PassageProblem,
  type QuotedPassage,
} from './find-passage.ts';
import { type JoinedText, joinTexts, offsetIn } from './joined-text.ts';

/** A part of a passage, anchored so that it is found again after edits, and the characters that replace it. */
export interface AnchoredPart extends AnchorPiece {
  replacement: string;
}

/** The most blocks of an anchored passage. Each block that has moved must be searched for. */
export const MAX_PARTS = 100;

/** Finds a quoted passage, and anchors its parts. */
export function anchorPassage(
  root: Text | XmlFragment,
  joined: JoinedText,
  passage: QuotedPassage,
): FoundPassage<AnchoredPart> {
  const found = findPassage(root, passage, joined);
  if ('problem' in found) return found;
  if (found.parts.length > MAX_PARTS) return { problem: tooManyPartsProblem(found.parts) };
  const { pieces } = createAnchor(found.parts);
  return {
    parts: pieces.map((piece, at) => ({
      ...piece,
      replacement: found.parts[at]?.replacement ?? '',
    })),
  };
}

const tooManyPartsProblem = (parts: PassagePart[]): PassageProblem => ({
  status: 'FAILED_PRECONDITION',
  message: `The quote spans ${parts.length} blocks. At most ${MAX_PARTS} are allowed.`,
  details: { present: (parts[0]?.quote ?? '').slice(0, 500).toWellFormed() },
});

/** Finds the parts of an anchored passage again: the whole quote, with nothing in between. */
export function resolvePassage(
  root: Text | XmlFragment,
  anchored: AnchoredPart[],
): FoundPassage<PassagePart> {
  const ranges = resolveQuotes(root, { pieces: anchored });
  if (!ranges || !isWhole(root, ranges, anchored))
    return { problem: orphanedPassage(root, anchored) };
  return {
    parts: ranges.map((range, at) => ({
      ...range,
      quote: anchored[at]?.quote ?? '',
      replacement: anchored[at]?.replacement ?? '',
    })),
  };
}

/** Whether the parts of several blocks still follow each other, perhaps in one block by now. */
function isWhole(root: Text | XmlFragment, ranges: TextRange[], anchored: AnchoredPart[]): boolean {
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (!first || !last || first === last) return true;
  const joined = joinTexts(root);
  const from = offsetIn(joined, { text: first.text, index: first.start });
  const lastCharacter = offsetIn(joined, { text: last.text, index: last.end - 1 });
  if (from === undefined || lastCharacter === undefined) return false;
  const quote = anchored.map((part) => part.quote).join('');
  return (
    withoutLineBreaks(joined.content.slice(from, lastCharacter + 1)) === withoutLineBreaks(quote)
  );
}

const withoutLineBreaks = (text: string): string => text.replaceAll('\n', '');

/** Returns the problem that the quote is gone, with the text at its old position or else the most similar text. */
function orphanedPassage(root: Text | XmlFragment, anchored: AnchoredPart[]): PassageProblem {
  const joined = joinTexts(root);
  const [first] = anchored;
  const quote = quoteOf({ pieces: anchored });
  const offset = first && offsetOfPosition(root, joined, first);
  const present =
    offset === undefined
      ? nearestText(joined.content, quote)
      : excerpt(joined.content, offset, quote.length);
  return {
    status: 'FAILED_PRECONDITION',
    message: 'The quoted text no longer exists.',
    details: { present },
  };
}
