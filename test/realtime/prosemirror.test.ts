import { Node, type Schema } from '@tiptap/pm/model';
import { EditorState } from '@tiptap/pm/state';
import { EditorView } from '@tiptap/pm/view';
import { ySyncPlugin } from '@tiptap/y-tiptap';
import { expect, it } from 'vitest';
import type * as Y from 'yjs';
import { provideDom } from '../support/dom.ts';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import {
  BASIC_CONTENT,
  BLOCK_NOTE_CONTENT,
  basic,
  blockNoteSchema,
} from '../support/prosemirror-schemas.ts';
import { startTestServer } from '../support/server.ts';
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
const server = await startTestServer();
await makePlan(server);
const token = await userToken(server, 'ed', { accessRole: 'editor' });

const EDITORS: Array<[string, string, Schema, object]> = [
  ['ProseMirror', 'prosemirror', basic, BASIC_CONTENT],
  ['BlockNote', 'document-store', blockNoteSchema(), BLOCK_NOTE_CONTENT],
];

it.each(EDITORS)(
  'content of %s in `%s` is returned as XML, and put back unchanged',
  async (_, root, schema, content) => {
    const place = { organizationId: 'acme', documentId: 'plan', editorId: root };
    const connected = await openEditor({ url: server.url, name: `acme/plan/${root}`, token });
    const editor = await bindProseMirror(connected.doc, root, schema);
    editor.write(content);
    await connected.sent();
    const get = async () => {
      const { body } = await server.call('/v2/crdt/get', place);
      return body.result.data[0];
    };
    const update = (data: string) =>
      server.call('/v2/crdt/update', { ...place, type: 'xml', data });
    const before = editor.shown();
    const stored = await get();
    expect(stored.type).toBe('xml');
    const changes: Uint8Array[] = [];
    connected.doc.on('update', (change: Uint8Array) => changes.push(change));

    expect((await update(stored.data)).status).toBe(200);
    expect(await get()).toEqual(stored);
    // Any update would have arrived before this one.
    const changed = stored.data.replace('plain', 'simple').replace('>A<', '>A+<');
    expect((await update(changed)).status).toBe(200);
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
