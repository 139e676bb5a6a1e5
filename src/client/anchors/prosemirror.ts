import * as Y from 'yjs';
import type { TextRange } from '../../platform/anchors/anchor.ts';
import { type EditorText, rangeBetween } from './editor-text.ts';

interface ProseMirrorNode {
  readonly childCount: number;
  readonly nodeSize: number;
  child(index: number): ProseMirrorNode;
}

/** A range in a ProseMirror document, such as its selection. */
export interface ProseMirrorRange {
  readonly from: number;
  readonly to: number;
}

/** The properties of an `EditorView` that `markText` uses. */
interface ProseMirrorView {
  readonly state: { readonly doc: ProseMirrorNode; readonly selection: ProseMirrorRange };
  readonly dom: HTMLElement;
  domAtPos(position: number, side?: number): { node: Node; offset: number };
}

/** A text that the editor shows, and the editor's position of its first character. */
interface PlacedText {
  text: Y.XmlText;
  at: number;
}

/**
 * The texts of Yjs in a part of a document: `proseMirrorRanges(fragment, state.doc, state.selection)`.
 *
 * @param root the fragment that the editor of ProseMirror, Tiptap or BlockNote is bound to
 */
export const proseMirrorRanges = (
  root: Y.XmlFragment,
  doc: ProseMirrorNode,
  { from, to }: ProseMirrorRange,
): TextRange[] =>
  placeTexts(root, doc, 0).flatMap(({ text, at }) => {
    const [start, end] = [Math.max(from - at, 0), Math.min(to - at, text.length)];
    const continuesLine = text.prevSibling instanceof Y.XmlText;
    return start < end ? [{ text, start, end, continuesLine }] : [];
  });

/** Returns the positions of a range in the editor, for decorations; undefined if its text is not shown. */
export function proseMirrorPositions(
  root: Y.XmlFragment,
  doc: ProseMirrorNode,
  { text, start, end }: TextRange,
): ProseMirrorRange | undefined {
  const placed = placeTexts(root, doc, 0).find((each) => each.text === text);
  return placed && { from: placed.at + start, to: placed.at + end };
}

/**
 * The text of a ProseMirror editor, for `markText`. Tiptap has its view as `editor.view`, BlockNote as
 * `editor.prosemirrorView`.
 *
 * @param root the fragment that the editor is bound to
 */
export const proseMirrorText = (view: ProseMirrorView, root: Y.XmlFragment): EditorText => ({
  root,
  element: view.dom,
  selected: () => proseMirrorRanges(root, view.state.doc, view.state.selection),
  render: (ranges) => {
    const placed = new Map(placeTexts(root, view.state.doc, 0).map(({ text, at }) => [text, at]));
    return ranges.map(({ text, start, end }) => {
      const at = placed.get(text as Y.XmlText);
      if (at === undefined) return undefined;
      return rangeBetween(view.domAtPos(at + start, 1), view.domAtPos(at + end, -1));
    });
  },
});

/** The nodes of ProseMirror mirror those of Yjs, except that one Yjs text may be several nodes. */
function placeTexts(parent: Y.XmlFragment, node: ProseMirrorNode, start: number): PlacedText[] {
  const placed: PlacedText[] = [];
  let at = start;
  let index = 0;
  for (const child of parent.toArray()) {
    if (child instanceof Y.XmlText) {
      placed.push({ text: child, at });
      const end = at + child.length;
      // The nodes of this text are those until its last character.
      while (at < end && index < node.childCount) at += node.child(index++).nodeSize;
    } else if (child instanceof Y.XmlElement && index < node.childCount) {
      const inner = node.child(index++);
      placed.push(...placeTexts(child, inner, at + 1));
      at += inner.nodeSize;
    }
  }
  return placed;
}
