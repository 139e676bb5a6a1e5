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

/** The schema of ProseMirror's own examples. */
export const basic = new Schema({
  nodes: {
    doc: { content: 'block+' },
    text: { group: 'inline' },
    paragraph: withAttributes({ group: 'block', content: 'inline*' }, {}),
    blockquote: withAttributes({ group: 'block', content: 'block+' }, {}),
    horizontal_rule: withAttributes({ group: 'block' }, {}),
    heading: withAttributes({ group: 'block', content: 'inline*' }, { level: 1 }),
    code_block: withAttributes({ group: 'block', content: 'text*', marks: '', code: true }, {}),
    ordered_list: withAttributes({ group: 'block', content: 'list_item+' }, { order: 1 }),
    bullet_list: withAttributes({ group: 'block', content: 'list_item+' }, {}),
    list_item: withAttributes({ content: 'paragraph block*' }, {}),
    image: withAttributes({ inline: true, group: 'inline' }, { src: '', alt: null, title: null }),
    hard_break: { inline: true, group: 'inline', toDOM: () => ['br'] },
    table: withAttributes({ group: 'block', content: 'table_row+' }, {}),
    table_row: withAttributes({ content: '(table_cell | table_header)*' }, {}),
    table_cell: withAttributes({ content: 'block+' }, { colspan: 1, rowspan: 1, colwidth: null }),
    table_header: withAttributes({ content: 'block+' }, { colspan: 1, rowspan: 1, colwidth: null }),
  },
  marks: {
    link: mark({ href: '', title: null }),
    em: mark({}),
    strong: mark({}),
    code: mark({}),
    // Only the content itself defines this root.
    note: mark({ depth: 0 }),
  },
});

const paragraph = (...content: Json[]) => node('paragraph', {}, ...content);

export const BASIC_CONTENT = node(
  'doc',
  {},
  node('heading', { level: 3 }, text('Launch plan')),
  paragraph(
    text('plain '),
    text('strong', { type: 'strong' }),
    text(' and both', { type: 'em' }, { type: 'strong' }),
    node('hard_break', {}),
    text('code < link', { type: 'code' }),
    text(' link', { type: 'link', attrs: { href: '/a?b=1&c="2"', title: null } }),
    node('image', { src: '/a.png', alt: '{"a":1}' }),
    text(' marked', { type: 'note', attrs: { depth: 2 } }),
  ),
  node(
    'ordered_list',
    { order: 3 },
    node(
      'list_item',
      {},
      paragraph(text('three')),
      node('bullet_list', {}, node('list_item', {}, paragraph(text('nested')))),
    ),
  ),
  node('blockquote', {}, node('code_block', {}, text('\n a {\n\tb }\n'))),
  node('horizontal_rule', {}),
  node(
    'table',
    {},
    node('table_row', {}, node('table_header', { colwidth: [20, 30] }, paragraph(text('A')))),
    node('table_row', {}, node('table_cell', { colspan: 2 }, paragraph())),
  ),
  paragraph(),
);
