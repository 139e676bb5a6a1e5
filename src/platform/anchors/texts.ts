import * as Y from 'yjs';

/** Something that contains texts: a document, or the part of it that an editor is bound to. */
export type AnchorRoot = Y.Doc | Y.Text | Y.XmlFragment | Y.Map<unknown> | Y.Array<unknown>;

/** All texts inside a type, in their order. The walk is iterative, because editors may nest deeply. */
export function textsIn(root: AnchorRoot): Y.Text[] {
  const texts: Y.Text[] = [];
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const next = pending.pop();
    if (next instanceof Y.Text) texts.push(next);
    for (const child of childrenOf(next).reverse()) pending.push(child);
  }
  return texts;
}

/** Returns the shared types and plain values that a type contains. */
export function childrenOf(type: unknown): unknown[] {
  if (type instanceof Y.Doc) return [...type.share.values()];
  if (type instanceof Y.Text) return runsOf(type).map(({ insert }) => insert);
  if (type instanceof Y.Map) return [...type.values()];
  return type instanceof Y.XmlFragment || type instanceof Y.Array ? [...type.toArray()] : [];
}

/** Characters of a text with no embedded object between them. */
export interface Run {
  /** How many characters of the text precede the run. */
  offset: number;
  /** The position of the run in the Y.Text, where an embedded object counts as 1. */
  index: number;
  length: number;
}

/** The characters of a text, with embedded objects left out. */
export interface TextContent {
  content: string;
  runs: readonly Run[];
}

/** Reads the characters of a text, and skips embedded objects, such as the map that Lexical puts before each run. */
export function readText(text: Y.Text): TextContent {
  let content = '';
  const runs: Run[] = [];
  let index = 0;
  for (const { insert } of runsOf(text)) {
    const characters = typeof insert === 'string' ? insert : undefined;
    if (characters) runs.push({ offset: content.length, index, length: characters.length });
    content += characters ?? '';
    index += characters?.length ?? 1;
  }
  return { content, runs };
}

const runsOf = (text: Y.Text) => text.toDelta() as Array<{ insert: unknown }>;

/** How many characters precede a position in the Y.Text. */
export function offsetAt({ content, runs }: TextContent, position: number): number {
  const run = runs.find(({ index, length }) => index + length > position);
  return run ? run.offset + Math.max(0, position - run.index) : content.length;
}

/** The position in the Y.Text of the character at `offset`, which must be less than the length of the content. */
export function positionAt({ runs }: TextContent, offset: number): number {
  const run = runs.find((each) => each.offset + each.length > offset);
  return run ? run.index + offset - run.offset : 0;
}

interface Nested {
  parent: Nested | null;
  _item: { deleted: boolean } | null;
}

/** Whether a type, or one that contains it, is deleted. */
export function isDeleted(type: Nested): boolean {
  for (let current: Nested | null = type; current !== null; current = current.parent) {
    if (current._item?.deleted === true) return true;
  }
  return false;
}
