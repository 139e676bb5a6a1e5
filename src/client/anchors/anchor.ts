import * as Y from 'yjs';

/** How many characters around the quoted text an anchor remembers. */
const CONTEXT = 32;
/** As much text has to agree before a quote is taken for the one that was moved. */
const MIN_EVIDENCE = 16;

/** A range of one text, in the positions of Yjs. Rich text editors have a text for each block. */
export interface TextRange {
  text: Y.Text;
  start: number;
  /** After the last character. */
  end: number;
}

/** A quoted part of one text. It is plain JSON. */
export interface AnchorPiece {
  /** Positions of Yjs, relative to the characters at both ends. */
  start: Record<string, unknown>;
  end: Record<string, unknown>;
  quote: string;
  /** The characters around the quote, at most 32 on each side. */
  before: string;
  after: string;
}

/** The place of a comment in a text: a piece for each block that it touches. Store it in `location`. */
export interface Anchor {
  pieces: AnchorPiece[];
}

/** The parent of the texts: the document, or a part of it that an editor is bound to. */
export type AnchorRoot = Y.Doc | Y.Text | Y.XmlFragment | Y.Map<unknown> | Y.Array<unknown>;

/** Makes an anchor of what is selected. Ranges without characters are left out. */
export const createAnchor = (ranges: TextRange[]): Anchor => ({
  pieces: ranges.filter(({ start, end }) => end > start).map(pieceOf),
});

function pieceOf({ text, start, end }: TextRange): AnchorPiece {
  const position = (index: number, assoc: 0 | -1) =>
    Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(text, index, assoc));
  const { content, indexes } = readText(text);
  const from = placeOf(indexes, start);
  const to = placeOf(indexes, end);
  return {
    start: position(start, 0),
    end: position(end, -1),
    quote: content.slice(from, to),
    before: content.slice(Math.max(0, from - CONTEXT), from),
    after: content.slice(to, to + CONTEXT),
  };
}

/**
 * Finds the text of an anchor: by its positions, which follow every edit; where an editor has replaced
 * the text, as when a paragraph becomes a heading, by the one best match of the quote.
 *
 * @returns a range for each piece; undefined for one whose text is gone
 */
export function resolveAnchor(root: AnchorRoot, anchor: Anchor): Array<TextRange | undefined> {
  let texts: Y.Text[] | undefined;
  return anchor.pieces.map((piece) => {
    const range = byPositions(root, piece);
    if (range) return range;
    texts ??= textsIn(root);
    return byQuote(texts, piece);
  });
}

/** Whether nothing is left of the text that was commented on. */
export const isOrphaned = (root: AnchorRoot, anchor: Anchor): boolean =>
  resolveAnchor(root, anchor).every((range) => range === undefined);

/** The anchor of an annotation, where it has one. */
export function anchorOf({ location }: { location?: unknown }): Anchor | undefined {
  const anchor = (location as { anchor?: Partial<Anchor> } | null | undefined)?.anchor;
  return Array.isArray(anchor?.pieces) ? (anchor as Anchor) : undefined;
}

function byPositions(root: AnchorRoot, { start, end }: AnchorPiece): TextRange | undefined {
  const doc = root instanceof Y.Doc ? root : root.doc;
  if (!doc) return undefined;
  const [from, to] = [start, end].map((json) =>
    Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(json), doc),
  );
  if (!from || !to || from.type !== to.type || from.index >= to.index) return undefined;
  if (!(from.type instanceof Y.Text) || isDeleted(from.type)) return undefined;
  return { text: from.type, start: from.index, end: to.index };
}

/** @returns undefined also where two places are equally good */
function byQuote(texts: Y.Text[], { quote, before, after }: AnchorPiece): TextRange | undefined {
  if (quote === '') return undefined;
  const needed = Math.min(MIN_EVIDENCE, before.length + quote.length + after.length);
  let best: { range: TextRange; evidence: number; isAlone: boolean } | undefined;
  for (const text of texts) {
    const { content, indexes } = readText(text);
    for (let at = content.indexOf(quote); at >= 0; at = content.indexOf(quote, at + 1)) {
      const to = at + quote.length;
      const evidence =
        quote.length +
        commonStart(reversed(content.slice(Math.max(0, at - CONTEXT), at)), reversed(before)) +
        commonStart(content.slice(to, to + CONTEXT), after);
      if (evidence < needed || evidence < (best?.evidence ?? 0)) continue;
      const range = { text, start: indexes[at] ?? 0, end: (indexes[to - 1] ?? 0) + 1 };
      best = { range, evidence, isAlone: evidence !== best?.evidence };
    }
  }
  return best?.isAlone ? best.range : undefined;
}

/**
 * The characters of a text without what is embedded in it, and the position of each of them. Lexical
 * embeds a map before each run of characters.
 */
function readText(text: Y.Text): { content: string; indexes: number[] } {
  let content = '';
  const indexes: number[] = [];
  let index = 0;
  for (const { insert } of text.toDelta() as Array<{ insert: unknown }>) {
    const characters = typeof insert === 'string' ? insert : '';
    for (let at = 0; at < characters.length; at++) indexes.push(index + at);
    content += characters;
    index += typeof insert === 'string' ? insert.length : 1;
  }
  return { content, indexes };
}

/** How many characters stand before a position. */
function placeOf(indexes: number[], position: number): number {
  const place = indexes.findIndex((index) => index >= position);
  return place < 0 ? indexes.length : place;
}

/** All texts below a type, in their order. */
function textsIn(root: unknown): Y.Text[] {
  if (root instanceof Y.Doc) return [...root.share.values()].flatMap(textsIn);
  if (root instanceof Y.Text) {
    const pieces = root.toDelta() as Array<{ insert: unknown }>;
    return [root, ...pieces.flatMap(({ insert }) => textsIn(insert))];
  }
  if (root instanceof Y.Map) return [...root.values()].flatMap(textsIn);
  if (root instanceof Y.XmlFragment || root instanceof Y.Array) {
    return (root.toArray() as unknown[]).flatMap(textsIn);
  }
  return [];
}

interface Nested {
  parent: Nested | null;
  _item: { deleted: boolean } | null;
}

const isDeleted = ({ parent, _item }: Nested): boolean =>
  _item?.deleted === true || (parent !== null && isDeleted(parent));

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

const reversed = (text: string): string => [...text].reverse().join('');
