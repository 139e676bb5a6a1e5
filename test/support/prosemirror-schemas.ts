import { BlockNoteEditor } from '@blocknote/core';
import { type AttributeSpec, type NodeSpec, Schema } from '@tiptap/pm/model';

type Json = { [key: string]: unknown };

const node = (type: string, attrs: Json, ...content: Json[]): Json => ({
  type,
  attrs,
  ...(content.length > 0 && { content }),
});
const text = (words: string, ...marks: Json[]): Json => ({ type: 'text', text: words, marks });

const attributes = (defaults: Json): { [name: string]: AttributeSpec } =>
  Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, { default: value }]));
const withAttributes = (spec: NodeSpec, defaults: Json): NodeSpec => ({
  ...spec,
  attrs: attributes(defaults),
  toDOM: () => (spec.content ? ['div', 0] : ['span']),
});
const mark = (defaults: Json, more = {}) => ({
  attrs: attributes(defaults),
  toDOM: () => ['span', 0] as const,
  ...more,
});

/** The schema of BlockNote, with a block in the text and the marks of comments, which may overlap. */
export function blockNoteSchema(): Schema {
  const { nodes, marks } = BlockNoteEditor.create().pmSchema.spec;
  const mention = withAttributes({ inline: true, group: 'inline' }, { user: '' });
  const comment = mark({ orphan: false, threadId: '' }, { excludes: '' });
  return new Schema({
    nodes: nodes.append({ mention }),
    marks: marks.append({ comment }),
  });
}

let ids = 0;
const container = (content: Json, ...children: Json[]) =>
  node(
    'blockContainer',
    { id: `block-${++ids}` },
    content,
    ...(children.length > 0 ? [node('blockGroup', {}, ...children)] : []),
  );
const comment = (threadId: string) => ({ type: 'comment', attrs: { orphan: false, threadId } });
const color = (stringValue: string) => ({ type: 'textColor', attrs: { stringValue } });
const cell = (words: string, attrs: Json = {}) =>
  node('tableCell', attrs, node('tableParagraph', {}, text(words)));

/** Content with most of what BlockNote has. */
export const BLOCK_NOTE_CONTENT = node(
  'doc',
  {},
  node(
    'blockGroup',
    {},
    container(node('heading', { level: 2, textAlignment: 'center' }, text('Launch plan'))),
    container(
      node(
        'paragraph',
        { backgroundColor: 'red' },
        text('plain, '),
        text('bold and red', { type: 'bold' }, color('red')),
        text(' and {2} & <blue> "quoted" ', color('blue'), { type: 'italic' }),
        node('mention', { user: 'Ada' }),
        text('link', { type: 'link', attrs: { href: 'https://example.com/?a=1&b=2' } }),
        node('hardBreak', {}),
        text('one comment', comment('a')),
        text(' and two', comment('a'), comment('b')),
      ),
      container(node('bulletListItem', {}, text('nested')), container(node('paragraph', {}))),
    ),
    container(node('numberedListItem', { start: 3 }, text('three'))),
    container(node('checkListItem', { checked: true }, text('done'))),
    container(node('codeBlock', { language: 'js' }, text('a {\n  b\n}\n\n'))),
    container(node('image', { url: 'https://example.com/a.png', previewWidth: 512.5 })),
    container(
      node(
        'table',
        {},
        node('tableRow', {}, cell('A', { colwidth: [120] }), cell('B', { colspan: 2 })),
        node('tableRow', {}, cell('wide', { textColor: 'gray' }), cell(' '), cell('😀')),
      ),
    ),
    container(node('paragraph', {})),
  ),
);
