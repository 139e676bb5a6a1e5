import {
  type AnchorPiece,
  positionIn,
  type TextRange,
} from '../../../../platform/anchors/anchor.ts';
import { offsetsOf } from '../../../../platform/anchors/find-quote.ts';
import { type AnchorRoot, positionAt } from '../../../../platform/anchors/texts.ts';
import { distributeReplacement } from './distribute-replacement.ts';
import { type JoinedPart, type JoinedText, joinTexts, offsetIn } from './joined-text.ts';

/** A passage that a caller quotes, and the text that replaces it. In rich text each block is a line. */
export interface QuotedPassage {
  quote: string;
  replacement: string;
  /** The number of the match, counted from 1, when there are several. */
  occurrence?: number | undefined;
  /** The Yjs positions of the passage. The start decides between several matches. */
  position?: Pick<AnchorPiece, 'start' | 'end'> | undefined;
}

/** The part of a passage in one text, and the characters that replace it. */
export interface PassagePart extends TextRange {
  quote: string;
  replacement: string;
}

/** The reason why a passage cannot be replaced, with the present text. */
export interface PassageProblem {
  status: 'NOT_FOUND' | 'FAILED_PRECONDITION';
  message: string;
  details: { present: string } | { occurrences: number; matches: string[] };
}

export type FoundPassage<Part> = { parts: Part[] } | { problem: PassageProblem };

/** The most UTF-16 units of a passage that a problem shows. */
const MAX_SHOWN_LENGTH = 500;
/** How many UTF-16 units a problem shows on each side of the passage. */
const CONTEXT_LENGTH = 32;
const MAX_SHOWN_MATCHES = 10;

/** Finds a passage in the text below `root`. Callers with several passages pass `joined`, to join it only once. */
export function findPassage(
  root: AnchorRoot,
  { quote, replacement, occurrence, position }: QuotedPassage,
  joined = joinTexts(root),
): FoundPassage<PassagePart> {
  const { content } = joined;
  const { matchedQuote, offsets } = searchQuote(content, quote);
  const offset = position && offsetOfPosition(root, joined, position);
  const isMatch = offset !== undefined && offsets.includes(offset);
  const chosen = isMatch ? offset : chooseMatch(offsets, occurrence);
  if (chosen === undefined) {
    const isAmbiguous = occurrence === undefined && offsets.length > 1;
    const problem = isAmbiguous
      ? ambiguousQuote(content, matchedQuote, offsets)
      : missingQuote(content, quote, offsets.length);
    return { problem };
  }
  const end = chosen + matchedQuote.length;
  const parts = partsBetween(joined, chosen, end);
  const newText = matchedQuote === quote ? replacement : withoutEmptyLines(replacement);
  const replacements = distributeReplacement(matchedQuote, parts, newText);
  if (!replacements) return { problem: wrongLineCount(content.slice(chosen, end)) };
  return { parts: parts.map((part, at) => ({ ...part, replacement: replacements[at] ?? '' })) };
}

/**
 * Searches for a quote. Callers may write an empty line between two blocks, as in Markdown.
 *
 * @returns the form of the quote that the content contains, and the offsets of its matches
 */
function searchQuote(content: string, quote: string): { matchedQuote: string; offsets: number[] } {
  const offsets = [...offsetsOf(quote, content)];
  const matchedQuote = withoutEmptyLines(quote);
  if (offsets.length > 0 || matchedQuote === quote) return { matchedQuote: quote, offsets };
  return { matchedQuote, offsets: [...offsetsOf(matchedQuote, content)] };
}

const withoutEmptyLines = (text: string): string => text.replace(/\n{2,}/g, '\n');

function chooseMatch(offsets: readonly number[], occurrence: number | undefined) {
  if (occurrence !== undefined) return offsets[occurrence - 1];
  return offsets.length === 1 ? offsets[0] : undefined;
}

export function offsetOfPosition(
  root: AnchorRoot,
  joined: JoinedText,
  { start }: Pick<AnchorPiece, 'start'>,
): number | undefined {
  const found = positionIn(root, start);
  return found && offsetIn(joined, found);
}

function partsBetween({ parts }: JoinedText, from: number, to: number) {
  return parts.flatMap((part) => {
    const start = Math.max(from - part.offset, 0);
    const end = Math.min(to - part.offset, part.content.length);
    return start < end ? [rangeOf(part, start, end)] : [];
  });
}

const rangeOf = (part: JoinedPart, start: number, end: number) => ({
  text: part.text,
  start: positionAt(part, start),
  end: positionAt(part, end - 1) + 1,
  quote: part.content.slice(start, end),
  continuesLine: part.continuesLine,
});

const missingQuote = (content: string, quote: string, matchCount: number): PassageProblem => ({
  status: 'NOT_FOUND',
  message:
    matchCount === 0
      ? 'The quote is not in the text.'
      : 'The text has fewer matches of the quote than the given occurrence.',
  details: { present: nearestText(content, quote) },
});

const ambiguousQuote = (content: string, quote: string, offsets: number[]): PassageProblem => ({
  status: 'FAILED_PRECONDITION',
  // A suggestion takes a position and no occurrence; everything else takes an occurrence.
  message: `The quote is in the text ${offsets.length} times. Quote more of the text, or choose a match: by its occurrence, or in a suggestion by its position.`,
  details: {
    occurrences: offsets.length,
    matches: offsets
      .slice(0, MAX_SHOWN_MATCHES)
      .map((offset) => excerpt(content, offset, quote.length)),
  },
});

const wrongLineCount = (present: string): PassageProblem => ({
  status: 'FAILED_PRECONDITION',
  message: `The quote spans several blocks, so the replacement must have as many lines: ${present.split('\n').length}.`,
  details: { present: present.slice(0, MAX_SHOWN_LENGTH).toWellFormed() },
});

/**
 * Returns the text around a part of the quote that the content contains, or else the beginning of the
 * content. The longest such part is used: the first or last half, then the first or last quarter and so on.
 */
export function nearestText(content: string, quote: string): string {
  for (let length = quote.length >> 1; length >= 8; length >>= 1) {
    for (const from of [0, quote.length - length]) {
      const { value } = offsetsOf(quote.slice(from, from + length), content).next();
      if (value !== undefined) return excerpt(content, value - from, quote.length);
    }
  }
  return content.slice(0, MAX_SHOWN_LENGTH).toWellFormed();
}

/** Returns the text at an offset with some text around it. */
export function excerpt(content: string, offset: number, length: number): string {
  const end = Math.max(0, offset) + Math.min(length, MAX_SHOWN_LENGTH) + CONTEXT_LENGTH;
  return content.slice(Math.max(0, offset - CONTEXT_LENGTH), end).toWellFormed();
}
