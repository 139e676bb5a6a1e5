import { Editor } from '@tiptap/core';
import Collaboration from '@tiptap/extension-collaboration';
import { TableKit } from '@tiptap/extension-table';
import StarterKit from '@tiptap/starter-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { fresh } from '../support/answers.ts';
import { provideDom } from '../support/dom.ts';
import { type Editor as Connected, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

provideDom();
let editorId: string;
const { open, call, storedXml } = await planServer();
beforeEach(() => {
  editorId = fresh('tiptap');
});

/** A Tiptap editor that is connected to the server. */
async function openTiptap(): Promise<{ editor: Editor; connected: Connected }> {
  const connected = await open(editorId);
  const editor = new Editor({
    element: document.createElement('div'),
    extensions: [
      StarterKit.configure({ undoRedo: false, trailingNode: false }),
      TableKit,
      Collaboration.configure({ document: connected.doc }),
    ],
  });
  whenTestEnds(() => editor.destroy());
  // The binding renders the content asynchronously, and would overwrite an earlier edit.
  await new Promise((resolve) => editor.on('create', resolve));
  return { editor, connected };
}

const getEditor = () => storedXml(editorId);
const get = async (): Promise<string> => (await getEditor()).data;
const update = (data: string) => call('update', { editorId, type: 'xml', data });

const RICH = `
  <h2>Launch <em>plan</em></h2>
  <p>One <strong>bold <em>and</em></strong> <a href="https://example.com/?a=1&amp;b=2">link</a> <code>x &lt; y</code><br>next</p>
  <ol start="3"><li><p>three</p><ul><li><p>nested</p></li></ul></li><li><p>four</p></li></ol>
  <pre><code class="language-js">a {\n  b\n}\n\n</code></pre>
  <blockquote><p>quoted <s>struck</s> <u>under</u></p></blockquote><hr>
  <table><tr><th>A</th><th>B</th></tr><tr><td colspan="2"><p>wide</p></td></tr></table>`;

describe('content written by Tiptap', () => {
  it('is returned as XML, and put back unchanged', async () => {
    const { editor, connected } = await openTiptap();
    editor.commands.setContent(RICH);
    await connected.sent();
    const stored = await getEditor();
    expect(stored).toMatchObject({ type: 'xml', lastUpdatedBy: 'ada' });
    const xml: string = stored.data;
    const before = editor.getJSON();
    const changes: unknown[] = [];
    connected.doc.on('update', (change: unknown) => changes.push(change));

    await update(xml);
    expect(await getEditor()).toEqual(stored);
    await update(xml.replace('three', 'drei'));
    await eventually(() => expect(JSON.stringify(editor.getJSON())).toContain('drei'));
    expect(changes).toHaveLength(1);
    expect(JSON.stringify(editor.getJSON()).replace('drei', 'three')).toBe(JSON.stringify(before));
    expect(xml).toContain('<heading level="{2}">Launch <italic>plan</italic></heading>');
    expect(xml).toContain('<orderedList start="{3}"');
    expect(xml).toContain('colspan="{2}"');
  });
});

describe('content written by callers', () => {
  it('is stored in the default root when the editor has kept only settings so far', async () => {
    const connected = await open(editorId);
    connected.doc.getMap('config').set('initialContentLoaded', true);
    await connected.sent();
    await update('<paragraph>Hello</paragraph>');
    const { editor } = await openTiptap();
    await eventually(() => expect(editor.getHTML()).toBe('<p>Hello</p>'));
    expect(connected.doc.getMap('config').toJSON()).toEqual({ initialContentLoaded: true });
  });

  it('is shown by Tiptap, with marks, numbers and nested lists', async () => {
    await call('add', {
      editorId,
      type: 'xml',
      data: `<heading level="2">Title</heading>
        <bulletList><listItem><paragraph>a <bold>b</bold></paragraph>
          <bulletList><listItem><paragraph>c</paragraph></listItem></bulletList>
        </listItem></bulletList>`,
    });
    const { editor } = await openTiptap();
    await eventually(() =>
      expect(editor.getHTML()).toBe(
        '<h2>Title</h2><ul><li><p>a <strong>b</strong></p><ul><li><p>c</p></li></ul></li></ul>',
      ),
    );
    expect(editor.getJSON().content?.[0]?.attrs).toMatchObject({ level: 2 });
  });

  it('keeps concurrent edits of users and their undo', async () => {
    const { editor, connected } = await openTiptap();
    editor.commands.setContent('<p>First</p><p>Second one</p>');
    await connected.sent();
    await get();
    // The two are disconnected from each other, so their edits are concurrent.
    const reconnect = await connected.disconnect();
    const typedAt = 1 + '<First>'.length + 'Second'.length;
    for (const letter of '321') editor.commands.insertContentAt(typedAt, letter);
    const target = [
      '<paragraph>New</paragraph>',
      '<paragraph>First</paragraph>',
      '<paragraph>Second <bold>big</bold> one</paragraph>',
    ].join('');
    await update(target);
    await reconnect();
    const expected = '<p>New</p><p>First</p><p>Second123 <strong>big</strong> one</p>';
    await eventually(() => expect(editor.getHTML()).toBe(expected));
    await connected.sent();
    expect(await get()).toBe(
      '<paragraph>New</paragraph><paragraph>First</paragraph><paragraph>Second123 <bold>big</bold> one</paragraph>',
    );
    editor.commands.undo();
    await eventually(() => expect(editor.getHTML()).not.toContain('123'));
    expect(editor.getHTML()).toContain('<p>New</p>');
  });
});
