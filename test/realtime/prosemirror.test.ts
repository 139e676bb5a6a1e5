import { Node, type Schema } from '@tiptap/pm/model';
import { EditorState } from '@tiptap/pm/state';
import { EditorView } from '@tiptap/pm/view';
import { ySyncPlugin } from '@tiptap/y-tiptap';
import { expect, it } from 'vitest';
import type * as Y from 'yjs';
import { provideDom } from '../support/dom.ts';
import { planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { BLOCK_NOTE_CONTENT, blockNoteSchema } from '../support/prosemirror-schemas.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

/** A ProseMirror editor on a root of a Yjs document, with ProseMirror's own binding. */
async function bindProseMirror(doc: Y.Doc, root: string, schema: Schema) {
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

provideDom();
const { open, call } = await planServer();

it.each(['prosemirror', 'document-store'])(
  'content of ProseMirror in `%s` is returned as XML, and put back unchanged',
  async (root) => {
    const connected = await open(root);
    const editor = await bindProseMirror(connected.doc, root, blockNoteSchema());
    editor.write(BLOCK_NOTE_CONTENT);
    await connected.sent();
    const get = async () => (await call('get', { editorId: root }))[0];
    const update = (data: string) => call('update', { editorId: root, type: 'xml', data });
    const before = editor.shown();
    const stored = await get();
    expect(stored.type).toBe('xml');
    const changes: Uint8Array[] = [];
    connected.doc.on('update', (change: Uint8Array) => changes.push(change));

    await update(stored.data);
    expect(await get()).toEqual(stored);
    // Any update would have arrived before this one.
    const changed = stored.data.replace('plain', 'simple').replace('>A<', '>A+<');
    await update(changed);
    const expected = JSON.parse(
      JSON.stringify(before).replace('plain', 'simple').replace('"A"', '"A+"'),
    );
    await eventually(() => expect(editor.shown()).toEqual(expected));
    expect(changes).toHaveLength(1);
    // The letters only, without the marks of the surrounding text.
    expect(changes[0]?.length).toBeLessThan(120);
    expect(await get()).toMatchObject({ data: changed, version: stored.version + 1 });
  },
);
