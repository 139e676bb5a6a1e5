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

/** A Yjs text that the editor shows, and the position of its first character in the editor. */
interface ShownText {
  text: Y.XmlText;
  position: number;
}

/**
 * The ranges of Yjs texts in a range of the editor: `proseMirrorRanges(fragment, state.doc, state.selection)`.
 *
 * @param root the fragment that the editor of ProseMirror, Tiptap or BlockNote is bound to
 */
export const proseMirrorRanges = (
  root: Y.XmlFragment,
  doc: ProseMirrorNode,
  { from, to }: ProseMirrorRange,
): TextRange[] =>
  findTexts(root, doc, 0).flatMap(({ text, position }) => {
    const [start, end] = [Math.max(from - position, 0), Math.min(to - position, text.length)];
    const continuesLine = text.prevSibling instanceof Y.XmlText;
    return start < end ? [{ text, start, end, continuesLine }] : [];
  });

/** Converts a range of a Yjs text to editor positions, for decorations; undefined if the editor does not show the text. */
export function proseMirrorPositions(
  root: Y.XmlFragment,
  doc: ProseMirrorNode,
  { text, start, end }: TextRange,
): ProseMirrorRange | undefined {
  const shown = findTexts(root, doc, 0).find((each) => each.text === text);
  return shown && { from: shown.position + start, to: shown.position + end };
}

/**
 * The text of a ProseMirror editor, for `markText`. The view is `editor.view` in Tiptap, and `editor.prosemirrorView`
 * in BlockNote.
 *
 * @param root the fragment that the editor is bound to
 */
export const proseMirrorText = (view: ProseMirrorView, root: Y.XmlFragment): EditorText => ({
  root,
  element: view.dom,
  selected: () => proseMirrorRanges(root, view.state.doc, view.state.selection),
  render: (ranges) => {
    const texts = findTexts(root, view.state.doc, 0);
    const positions = new Map(texts.map(({ text, position }) => [text, position]));
    return ranges.map(({ text, start, end }) => {
      const position = positions.get(text as Y.XmlText);
      if (position === undefined) return undefined;
      return rangeBetween(view.domAtPos(position + start, 1), view.domAtPos(position + end, -1));
    });
  },
});

/** Finds the Yjs texts in a node. Yjs and ProseMirror have the same tree, but one Yjs text may be several nodes. */
function findTexts(parent: Y.XmlFragment, node: ProseMirrorNode, start: number): ShownText[] {
  const texts: ShownText[] = [];
  let position = start;
  let index = 0;
  for (const child of parent.toArray()) {
    if (child instanceof Y.XmlText) {
      texts.push({ text: child, position });
      const end = position + child.length;
      // Skip all nodes that this text consists of.
      while (position < end && index < node.childCount) position += node.child(index++).nodeSize;
    } else if (child instanceof Y.XmlElement && index < node.childCount) {
      const inner = node.child(index++);
      texts.push(...findTexts(child, inner, position + 1));
      position += inner.nodeSize;
    }
  }
  return texts;
}
