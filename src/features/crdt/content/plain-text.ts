import * as Y from 'yjs';
import type { TextEdit } from './diff/diff-text.ts';

/**
 * The known content of plain texts. Reading it from Yjs visits everything that was ever deleted, so each
 * replacement would take longer than the one before.
 */
const contents = new WeakMap<Y.Text, string>();

/** Returns the content of a text with neither formatting nor embeds; undefined for other texts. */
export function plainContent(text: Y.Text): string | undefined {
  const known = contents.get(text);
  if (known !== undefined) return known;
  let content = '';
  for (let item = text._start; item !== null; item = item.right) {
    if (item.deleted) continue;
    if (!(item.content instanceof Y.ContentString)) return undefined;
    content += item.content.str;
  }
  contents.set(text, content);
  text.observe(forgetChanged);
  return content;
}

/** Forgets the content of a text, unless `editPlain` made the change. */
function forgetChanged({ target }: Y.YTextEvent, { meta }: Y.Transaction): void {
  if (meta.get(target) === contents.get(target)) return;
  contents.delete(target);
  target.unobserve(forgetChanged);
}

/**
 * Edits a text whose `plainContent` is known. New text follows all text that was deleted in its place.
 * Yjs can then merge the deleted text, so a place that is often replaced has a short history.
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
    contents.set(text, after);
    meta.set(text, after);
  });
}

/** Copies a slice, which would otherwise keep the whole text in memory as long as the document. */
export function copySlice(slice: string): string {
  return Buffer.from(slice).toString();
}
