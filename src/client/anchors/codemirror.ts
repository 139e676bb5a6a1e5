import type * as Y from 'yjs';
import { type EditorText, rangeBetween } from './editor-text.ts';

/** The properties of an `EditorView` of CodeMirror 6 that `markText` uses. */
interface CodeMirrorView {
  readonly state: { readonly selection: { readonly main: { from: number; to: number } } };
  readonly contentDOM: HTMLElement;
  /** The part of the text that the editor renders. */
  readonly viewport: { readonly from: number; readonly to: number };
  domAtPos(position: number): { node: Node; offset: number };
  dispatch(change: { selection: { anchor: number }; scrollIntoView: boolean }): void;
}

/**
 * The text of a CodeMirror editor, for `markText`.
 *
 * @param text the text that `yCollab` binds to the editor
 */
export const codeMirrorText = (view: CodeMirrorView, text: Y.Text): EditorText => ({
  root: text,
  element: view.contentDOM,
  selected: () => {
    const { from, to } = view.state.selection.main;
    return [{ text, start: from, end: to }];
  },
  render: (ranges) =>
    ranges.map(({ start, end }) => {
      const from = Math.max(start, view.viewport.from);
      const to = Math.min(end, view.viewport.to);
      return from < to ? rangeBetween(view.domAtPos(from), view.domAtPos(to)) : undefined;
    }),
  scrollTo: ({ start }) => view.dispatch({ selection: { anchor: start }, scrollIntoView: true }),
});
