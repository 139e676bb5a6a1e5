import { Node, type Schema } from '@tiptap/pm/model';
import { EditorState } from '@tiptap/pm/state';
import { EditorView } from '@tiptap/pm/view';
import { ySyncPlugin } from '@tiptap/y-tiptap';
import type * as Y from 'yjs';
import { whenTestEnds } from './when-file-ends.ts';

/** A ProseMirror editor on a root of a Yjs document, with ProseMirror's own binding. */
export async function bindProseMirror(doc: Y.Doc, root: string, schema: Schema) {
  const view = new EditorView(document.createElement('div'), {
    state: EditorState.create({ schema, plugins: [ySyncPlugin(doc.getXmlFragment(root))] }),
  });
  whenTestEnds(() => view.destroy());
  // The binding renders the content asynchronously, and would overwrite an earlier edit.
  await new Promise((resolve) => setTimeout(resolve));
  return {
    /** Replaces the whole content, as pasting does. */
    write(content: object) {
      const { content: nodes } = Node.fromJSON(schema, content);
      view.dispatch(view.state.tr.replaceWith(0, view.state.doc.content.size, nodes));
    },
    shown: () => view.state.doc.toJSON(),
  };
}
