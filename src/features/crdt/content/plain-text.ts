import * as Y from 'yjs';
import type { TextEdit } from './diff/diff-text.ts';

/**
 * A cache of the content of plain texts. Reading a text from Yjs visits everything that was ever deleted in
 * it, so without the cache, each replacement would take longer than the one before.
 */
const cachedContents = new WeakMap<Y.Text, string>();

/** Returns the content of a text with neither formatting nor embeds; undefined for other texts. */
export function plainContent(text: Y.Text): string | undefined {
  const known = cachedContents.get(text);
  if (known !== undefined) return known;
  let content = '';
  for (let item = text._start; item !== null; item = item.right) {
    if (item.deleted) continue;
    if (!(item.content instanceof Y.ContentString)) return undefined;
    content += item.content.str;
  }
  cachedContents.set(text, content);
  text.observe(forgetChanged);
  return content;
}

/** Forgets the content of a text, unless `editPlain` made the change. */
function forgetChanged({ target }: Y.YTextEvent, { meta }: Y.Transaction): void {
  if (meta.get(target) === cachedContents.get(target)) return;
  cachedContents.delete(target);
  target.unobserve(forgetChanged);
}

/**
 * Edits a text whose `plainContent` is cached. New text is inserted after all text that was deleted in the
 * same place. Yjs can then merge the deleted text, which keeps the history of that place short.
 *
 * @param after the content that the edits result in
 */
export function editPlain(text: Y.Text, edits: readonly TextEdit[], after: string): void {
  text.doc?.transact(({ meta }) => {
    let shift = 0;
    for (const { from, to, insert } of edits) {
      if (to > from) text.delete(from + shift, to - from);
      if (insert !== '') text.insert(from + shift, copySlice(insert));
      shift += insert.length - (to - from);
    }
    cachedContents.set(text, after);
    meta.set(text, after);
  });
}

/** Copies a slice of a text. Without the copy, the whole text would stay in memory with the document. */
export function copySlice(slice: string): string {
  return Buffer.from(slice).toString();
}
