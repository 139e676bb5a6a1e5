import { createHeadlessEditor } from '@lexical/headless';
import { $createLinkNode, LinkNode } from '@lexical/link';
import { $createListItemNode, $createListNode, ListItemNode, ListNode } from '@lexical/list';
import { $createHeadingNode, HeadingNode, QuoteNode } from '@lexical/rich-text';
import {
  $createTableNodeWithDimensions,
  TableCellNode,
  TableNode,
  TableRowNode,
} from '@lexical/table';
import {
  createBinding,
  type Provider,
  syncLexicalUpdateToYjs,
  syncYjsChangesToLexical,
} from '@lexical/yjs';
import {
  $createLineBreakNode,
  $createParagraphNode,
  $createTextNode,
  $getRoot,
  $isElementNode,
  createEditor,
  type LexicalEditor,
  type LexicalNode,
} from 'lexical';
import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { createAnchor, lexicalText, passageOf } from '../../src/client/anchors.ts';
import { fresh } from '../support/answers.ts';
import { provideDom } from '../support/dom.ts';
import { type Editor as Connected, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';

const TABLE = [TableNode, TableRowNode, TableCellNode];

/** A Lexical editor on a document, with Lexical's own binding. It is headless unless it has an element. */
function bindLexical({ doc, provider: connection }: Connected, element?: HTMLElement) {
  const editor = (element ? createEditor : createHeadlessEditor)({
    nodes: [HeadingNode, QuoteNode, ListNode, ListItemNode, LinkNode, ...TABLE],
    onError: (error) => {
      throw error;
    },
  });
  if (element) editor.setRootElement(element);
  const provider = connection as unknown as Provider;
  const binding = createBinding(editor, provider, 'main', doc, new Map([['main', doc]]));
  const root = binding.root.getSharedType();
  root.observeDeep((events, { origin }) => {
    if (origin === binding) return;
    const changes = events as Y.YEvent<Y.Text>[];
    syncYjsChangesToLexical(binding, provider, changes, false, () => undefined);
  });
  // Applies the content from before the editor.
  if (root.length > 0) {
    editor.update(
      () => {
        binding.root.applyChildrenYjsDelta(binding, root.toDelta());
        binding.root.syncChildrenFromYjs(binding);
      },
      { tag: 'collaboration', discrete: true },
    );
  }
  editor.registerUpdateListener((update) => {
    if (update.tags.has('skip-collab')) return;
    syncLexicalUpdateToYjs(
      binding,
      provider,
      update.prevEditorState,
      update.editorState,
      update.dirtyElements,
      update.dirtyLeaves,
      update.normalizedNodes,
      update.tags,
    );
  });
  return editor;
}

provideDom();
let editorId: string;
const { open, call, storedXml } = await planServer();
beforeEach(() => {
  editorId = fresh('lexical');
});

async function openLexical(): Promise<{ editor: LexicalEditor; connected: Connected }> {
  const connected = await open(editorId);
  return { editor: bindLexical(connected), connected };
}

const getEditor = () => storedXml(editorId);
const get = async (): Promise<string> => (await getEditor()).data;
const update = (data: string) => call('update', { editorId, type: 'xml', data });

const write = (editor: LexicalEditor, make: () => LexicalNode[]) =>
  editor.update(() => void $getRoot().append(...make()), { discrete: true });

const textOf = (editor: LexicalEditor) => editor.read(() => $getRoot().getTextContent());

/** The content of an editor in a comparable form. */
const shown = (editor: LexicalEditor) => JSON.stringify(editor.getEditorState().toJSON());

/** Every kind of node that rich text usually has. */
function everything(): LexicalNode[] {
  const paragraph = $createParagraphNode().setFormat('center').setIndent(1);
  const link = $createLinkNode('https://example.com/?a=1&b=2', { rel: 'noopener' });
  paragraph.append(
    $createTextNode('plain '),
    $createTextNode('bold italic').toggleFormat('bold').toggleFormat('italic'),
    $createLineBreakNode(),
    link.append($createTextNode('link')),
    $createTextNode(' <end>'),
  );
  const nested = $createListNode('check').append(
    $createListItemNode(true).append($createTextNode('done')),
  );
  const list = $createListNode('number', 3).append(
    $createListItemNode().append($createTextNode('three')),
    $createListItemNode().append(nested),
  );
  const heading = $createHeadingNode('h2').append($createTextNode('Launch plan'));
  return [heading, paragraph, list, $createTableNodeWithDimensions(2, 2), $createParagraphNode()];
}

describe('content written by Lexical', () => {
  it('is returned as XML, put back unchanged, and shown by another Lexical after an edit by REST', async () => {
    const { editor, connected } = await openLexical();
    write(editor, everything);
    await connected.sent();
    const stored = await getEditor();
    const xml: string = stored.data;
    expect(xml).toContain('done');
    const before = shown(editor);
    const changes: unknown[] = [];
    connected.doc.on('update', (change: unknown) => changes.push(change));

    await update(xml);
    expect(await getEditor()).toEqual(stored);
    await update(xml.replace('three', 'drei'));
    await eventually(() => expect(shown(editor)).toBe(before.replace('three', 'drei')));
    expect(changes).toHaveLength(1);
    expect(xml).toContain('<text __format="{3}">bold italic</text><linebreak/>');

    const changed = xml
      .replace('plain ', 'very plain ')
      .replace('<linebreak/>', '')
      .replace(/<table .*<\/table>/, '<quote><text>instead of a table</text></quote>')
      .replace('__format="{3}"', '__format="{1}"');
    await update(changed);
    await eventually(() => expect(textOf(editor)).toContain('instead of a table'));
    const other = await openLexical();
    expect(shown(other.editor)).toBe(shown(editor));
    expect(await get()).toBe(changed);
  });
});

describe('content written by callers', () => {
  const data = '<heading __tag="h1"><text>Title</text></heading><paragraph>Hello</paragraph>';

  it('is shown by Lexical, and keeps concurrent edits of users', async () => {
    await call('add', { editorId, type: 'xml', contentKey: 'root', data });
    const { editor, connected } = await openLexical();
    expect(textOf(editor)).toBe('Title\n\nHello');
    expect(await get()).toBe(data.replace('>Hello<', '><text>Hello</text><'));
    const reconnect = await connected.disconnect();
    editor.update(
      () => {
        const last = $getRoot().getLastChild();
        if ($isElementNode(last)) last.append($createTextNode(' there').toggleFormat('bold'));
      },
      { discrete: true },
    );
    await update(`<quote><text>First</text></quote>${data.replace('Hello', 'Oh, hello')}`);
    await reconnect();
    await eventually(() => expect(textOf(editor)).toBe('First\n\nTitle\n\nOh, hello there'));
    await eventually(async () =>
      expect(await get()).toContain('<text>Oh, hello</text><text __format="{1}"> there</text>'),
    );
  });
});

describe('a passage that contains a link', () => {
  const paragraph =
    '<paragraph><text>Read the </text><link url="https://example.com"><text>manual</text></link><text> before you start.</text></paragraph>';
  const replaceRange = (quote: string, replacement: string) =>
    call('replace_range', { editorId, quote, replacement });
  beforeEach(() => call('add', { editorId, type: 'xml', contentKey: 'root', data: paragraph }));

  it('is one line, and its link stays', async () => {
    await replaceRange('the manual before you start', 'the manual, then start');
    expect(await get()).toBe(paragraph.replace(' before you start', ', then start'));
    await replaceRange('Read the manual,', 'Read this handbook,');
    expect(await get()).toContain('<text>Read this handbook</text>');
    expect(await get()).toContain('<text>, then start.</text>');
  });

  it('is quoted from a selection as the server finds it', async () => {
    const connected = await open(editorId);
    const element = document.body.appendChild(document.createElement('div'));
    const root = connected.doc.get('root', Y.XmlText);
    const editor = bindLexical(connected, element);
    const range = document.createRange();
    range.selectNodeContents(element);
    document.getSelection()?.removeAllRanges();
    document.getSelection()?.addRange(range);
    const anchor = createAnchor(lexicalText(editor, root).selected());
    expect(passageOf(anchor).quote).toBe('Read the manual before you start.');
  });
});
