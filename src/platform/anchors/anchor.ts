import * as Y from 'yjs';
import { findQuote, type Quoted } from './find-quote.ts';
import {
  type AnchorRoot,
  isDeleted,
  offsetAt,
  positionAt,
  readText,
  type TextContent,
  textsIn,
} from './texts.ts';

export type { AnchorRoot } from './texts.ts';

/** How many characters on each side of the quoted text an anchor remembers. */
const CONTEXT_LENGTH = 32;

/** A range of one text, in positions as Yjs counts them. Rich text editors have one text per block. */
export interface TextRange {
  text: Y.Text;
  start: number;
  /** After the last character. */
  end: number;
  /** Whether the range continues the line of the range before it, as the text of a link does. */
  continuesLine?: boolean;
}

/** A quoted part of one text. It is plain JSON. */
export interface AnchorPiece {
  /** Relative positions of Yjs, which stay with the characters at both ends. */
  start: Record<string, unknown>;
  end: Record<string, unknown>;
  quote: string;
  /** The characters around the quote, at most 32 on each side. */
  before: string;
  after: string;
  /** Whether the piece continues the line of the piece before it. */
  continuesLine?: true;
}

/** The place of a comment: a piece for each text that the comment covers. Store it in the annotation's `location`. */
export interface Anchor {
  pieces: AnchorPiece[];
}

/** Makes an anchor from the selected ranges. Empty ranges are left out. */
export const createAnchor = (ranges: TextRange[]): Anchor => ({
  pieces: ranges.filter(({ start, end }) => end > start).map(pieceOf),
});

function pieceOf({ text, start, end, continuesLine }: TextRange): AnchorPiece {
  const position = (index: number, assoc: 0 | -1) =>
    Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(text, index, assoc));
  const whole = readText(text);
  const { content } = whole;
  const from = offsetAt(whole, start);
  const to = offsetAt(whole, end);
  return {
    start: position(start, 0),
    end: position(end, -1),
    quote: content.slice(from, to),
    before: storable(content.slice(Math.max(0, from - CONTEXT_LENGTH), from)),
    after: storable(content.slice(to, to + CONTEXT_LENGTH)),
    ...(continuesLine && { continuesLine }),
  };
}

/** Matches what cannot be stored as JSON: NUL, and half of a character that the context cuts in two. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const storable = (context: string): string => context.replace(UNSTORABLE, '\ufffd');

/**
 * Finds the text of an anchor by its positions, which follow every edit. If an editor has replaced the
 * text, for example to turn a paragraph into a heading, uses the best match of the quote if it is unique.
 *
 * @returns a range for each piece; undefined for one whose text is gone
 */
export const resolveAnchor = (root: AnchorRoot, anchor: Anchor): Array<TextRange | undefined> =>
  resolveAnchors(root, [anchor])[0] ?? [];

/** Resolves many anchors in one document, and reads the texts of the document only once. */
export function resolveAnchors(
  root: AnchorRoot,
  anchors: readonly Anchor[],
): Array<Array<TextRange | undefined>> {
  let texts: ReadText[] | undefined;
  const resolvePiece = (piece: AnchorPiece) => {
    const range = rangeBetween(root, piece);
    if (range) return range;
    texts ??= textsIn(root).map(withContent);
    return matchOf(texts, piece);
  };
  return anchors.map(({ pieces }) => pieces.map(resolvePiece));
}

/**
 * Finds the unchanged quotes of an anchor. A quote that is no longer at its position is looked for
 * elsewhere: its best match is used if it is unique.
 *
 * @returns a range for each piece; undefined when a quote is gone, or when two ranges would overlap
 */
export function resolveQuotes(root: AnchorRoot, { pieces }: Anchor): TextRange[] | undefined {
  const found: TextRange[] = [];
  let texts: ReadText[] | undefined;
  for (const piece of pieces) {
    let range = rangeBetween(root, piece);
    if (!range || textOfRange(range) !== piece.quote) {
      texts ??= textsIn(root).map(withContent);
      range = matchOf(texts, piece);
    }
    if (!range || found.some((other) => overlap(other, range))) return undefined;
    found.push(range);
  }
  return found;
}

const overlap = (one: TextRange, other: TextRange): boolean =>
  one.text === other.text && one.start < other.end && other.start < one.end;

function textOfRange({ text, start, end }: TextRange): string {
  const whole = readText(text);
  return whole.content.slice(offsetAt(whole, start), offsetAt(whole, end));
}

/** Whether nothing is left of the text that was commented on. */
export const isOrphaned = (root: AnchorRoot, anchor: Anchor): boolean =>
  resolveAnchor(root, anchor).every((range) => range === undefined);

/** The anchor of an annotation, if it has one: its suggestion, or the anchor in its location. */
export function anchorOf({
  location,
  suggestion,
}: {
  location?: unknown;
  suggestion?: unknown;
}): Anchor | undefined {
  const candidates = [suggestion, (location as { anchor?: unknown } | null | undefined)?.anchor];
  return candidates.find((candidate): candidate is Anchor =>
    Array.isArray((candidate as Partial<Anchor> | null | undefined)?.pieces),
  );
}

/** One position in a text, as Yjs counts it. */
export interface TextPosition {
  text: Y.Text;
  index: number;
}

/** Resolves a relative position of Yjs; undefined if its text no longer exists. */
export function positionIn(root: AnchorRoot, json: AnchorPiece['start']): TextPosition | undefined {
  const doc = root instanceof Y.Doc ? root : root.doc;
  if (!doc) return undefined;
  const relative = Y.createRelativePositionFromJSON(json);
  const found = Y.createAbsolutePositionFromRelativePosition(relative, doc);
  if (!found || !(found.type instanceof Y.Text) || isDeleted(found.type)) return undefined;
  return { text: found.type, index: found.index };
}

/** Returns the range between the positions of a piece; undefined if its text is gone. */
function rangeBetween(
  root: AnchorRoot,
  { start, end }: Pick<AnchorPiece, 'start' | 'end'>,
): TextRange | undefined {
  const from = positionIn(root, start);
  const to = positionIn(root, end);
  if (!from || from.text !== to?.text || from.index >= to.index) return undefined;
  return { text: from.text, start: from.index, end: to.index };
}

interface ReadText extends TextContent {
  text: Y.Text;
}

const withContent = (text: Y.Text): ReadText => ({ text, ...readText(text) });

function matchOf(texts: readonly ReadText[], quoted: Quoted): TextRange | undefined {
  const match = findQuote(
    texts.map(({ content }) => content),
    quoted,
  );
  const matched = match && texts[match.textIndex];
  if (!match || !matched) return undefined;
  const last = match.offset + quoted.quote.length - 1;
  return {
    text: matched.text,
    start: positionAt(matched, match.offset),
    end: positionAt(matched, last) + 1,
  };
}

/** The whole quote of an anchor, with one line for each block. */
export const quoteOf = ({
  pieces,
}: {
  pieces: Array<Pick<AnchorPiece, 'quote' | 'continuesLine'>>;
}) =>
  pieces
    .map(({ quote, continuesLine }, at) => (at === 0 || continuesLine ? quote : `\n${quote}`))
    .join('');
