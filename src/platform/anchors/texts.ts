import * as Y from 'yjs';

/** The parent of texts: a document, or the part of it that an editor is bound to. */
export type AnchorRoot = Y.Doc | Y.Text | Y.XmlFragment | Y.Map<unknown> | Y.Array<unknown>;

/** All texts below a type, in their order. The walk is iterative, since editors may nest deeply. */
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

function childrenOf(type: unknown): unknown[] {
  if (type instanceof Y.Doc) return [...type.share.values()];
  if (type instanceof Y.Text) return runsOf(type).map(({ insert }) => insert);
  if (type instanceof Y.Map) return [...type.values()];
  return type instanceof Y.XmlFragment || type instanceof Y.Array ? [...type.toArray()] : [];
}

/**
 * The characters of a text without what is embedded in it, and the position of each of them. Lexical
 * embeds a map before each run of characters.
 */
export function readText(text: Y.Text): { content: string; indexes: number[] } {
  let content = '';
  const indexes: number[] = [];
  let index = 0;
  for (const { insert } of runsOf(text)) {
    const characters = typeof insert === 'string' ? insert : '';
    for (let at = 0; at < characters.length; at++) indexes.push(index + at);
    content += characters;
    index += typeof insert === 'string' ? insert.length : 1;
  }
  return { content, indexes };
}

const runsOf = (text: Y.Text) => text.toDelta() as Array<{ insert: unknown }>;

/** How many characters precede a position. */
export function offsetAt(indexes: readonly number[], position: number): number {
  const offset = indexes.findIndex((index) => index >= position);
  return offset < 0 ? indexes.length : offset;
}

interface Nested {
  parent: Nested | null;
  _item: { deleted: boolean } | null;
}

/** Whether a type, or a type around it, is deleted. */
export function isDeleted(type: Nested): boolean {
  for (let at: Nested | null = type; at !== null; at = at.parent) {
    if (at._item?.deleted === true) return true;
  }
  return false;
}
