import * as Y from 'yjs';
import type { TextRange } from '../../platform/anchors/anchor.ts';
import { type EditorText, rangeBetween } from './editor-text.ts';

interface LexicalNode {
  readonly __key: string;
  getChildren?(): LexicalNode[];
}

/** The properties of a `LexicalEditor` that `markText` uses. */
interface Lexical {
  getRootElement(): HTMLElement | null;
  getElementByKey(key: string): HTMLElement | null;
  getEditorState(): { read<Value>(read: () => Value): Value; _nodeMap: Map<string, LexicalNode> };
}

/** Characters of a Yjs text that the editor shows in one text node of the page. */
interface Run {
  text: Y.XmlText;
  start: number;
  end: number;
  /** The text of the whole line, such as that of the paragraph around a link. */
  line: Y.XmlText;
  node: Text;
}

/**
 * The text of a Lexical editor, for `markText`. Call this once the editor has its root element.
 *
 * @param root `document.get('root', Y.XmlText)`, to which the collaboration plugin binds the editor
 */
export function lexicalText(editor: Lexical, root: Y.XmlText): EditorText {
  const element = editor.getRootElement();
  if (!element) throw new TypeError('The Lexical editor has no element yet.');
  const runs = () => {
    const state = editor.getEditorState();
    return state.read(() => runsIn(editor, root, state._nodeMap.get('root')));
  };
  return {
    root,
    element,
    selected: () => {
      const selection = element.ownerDocument.getSelection();
      const range = selection?.rangeCount ? selection.getRangeAt(0) : undefined;
      const selected: Array<TextRange & Pick<Run, 'line'>> = [];
      for (const { text, start, end, line, node } of runs()) {
        if (!range?.intersectsNode(node)) continue;
        const from = node === range.startContainer ? start + range.startOffset : start;
        const to = node === range.endContainer ? start + range.endOffset : end;
        if (from >= to) continue;
        const last = selected.at(-1);
        // Join the pieces into which Lexical divides a text where its format changes.
        if (last?.text === text) last.end = to;
        else
          selected.push({ text, start: from, end: to, line, continuesLine: last?.line === line });
      }
      return selected;
    },
    render: (ranges) => {
      const all = runs();
      return ranges.map(({ text, start, end }) => {
        const shown = all.filter((run) => run.text === text && run.start < end && run.end > start);
        const first = shown.at(0);
        const last = shown.at(-1);
        if (!first || !last) return undefined;
        return rangeBetween(
          { node: first.node, offset: Math.max(start - first.start, 0) },
          { node: last.node, offset: Math.min(end, last.end) - last.start },
        );
      });
    },
  };
}

/**
 * Finds the runs of a text. The objects embedded in the text correspond to the Lexical nodes in `parent`, in the same
 * order. The characters after an object are the text of its node.
 */
function runsIn(
  editor: Lexical,
  text: Y.XmlText,
  parent: LexicalNode | undefined,
  line = text,
): Run[] {
  const children = parent?.getChildren?.() ?? [];
  const runs: Run[] = [];
  let index = 0;
  let child: LexicalNode | undefined;
  const delta = text.toDelta() as Array<{ insert: unknown }>;
  // A text with characters is a line, and only inline nodes, such as links, are embedded in it.
  const isLine = delta.some(({ insert }) => typeof insert === 'string');
  for (const { insert } of delta) {
    if (typeof insert === 'string') {
      const node = textNodeIn(child && editor.getElementByKey(child.__key));
      const end = index + insert.length;
      if (node)
        runs.push({ text, start: index, end: Math.min(end, index + node.length), line, node });
      index = end;
    } else {
      child = children.shift();
      if (insert instanceof Y.XmlText)
        runs.push(...runsIn(editor, insert, child, isLine ? line : insert));
      index++;
    }
  }
  return runs;
}

function textNodeIn(element: Node | null | undefined): Text | undefined {
  let node = element;
  while (node && !(node instanceof Text)) node = node.firstChild;
  return node ?? undefined;
}
