import { isTag, type Markup, parseXml, type Tag } from '../features/crdt/content/xml/parse-xml.ts';

/**
 * Converts rich text to Markdown, for reading. It knows the element names of Tiptap, ProseMirror, BlockNote
 * and Lexical. Of other elements, it keeps only the text. The text is not escaped, so that quotes from it can
 * be found in the document.
 */
export const toMarkdown = (xml: string): string => blocksOf(parseXml(xml)).join('\n\n');

/** The Markdown syntax around the text of an element. */
const MARKS: Record<string, string> = {
  strong: '**',
  b: '**',
  bold: '**',
  em: '*',
  i: '*',
  italic: '*',
  s: '~~',
  strike: '~~',
  code: '`',
};
const LINK_NAMES = new Set(['a', 'link', 'autolink']);
const BREAK_NAMES = new Set(['hardbreak', 'hard_break', 'linebreak', 'br']);
/** The names of all elements that are part of a line. */
// biome-ignore format: with one name on each line, the list is hard to read
const INLINE_NAMES = new Set([
  ...Object.keys(MARKS), ...LINK_NAMES, ...BREAK_NAMES, 'mention', 'hashtag', 'emoji', 'inlineimage', 'u', 'underline',
  'textstyle', 'highlight', 'subscript', 'superscript', 'comment', 'span', 'text', 'comments', 'backgroundcolor',
  'textcolor', 'mark', 'overflow',
]);

/** Whether an element is a block of text. The content decides this, since editors name their blocks freely. */
const containsText = ({ children }: Tag): boolean =>
  children.some((child) =>
    isTag(child) ? INLINE_NAMES.has(nameOf(child)) : child.text.trim() !== '',
  );

/** Returns an element's name in lower case, without the digest that some editors append. */
const nameOf = ({ name }: Tag): string => name.replace(/--.*$/, '').toLowerCase();

const attribute = ({ attributes }: Tag, ...names: string[]): string => {
  const found = names.find((name) => attributes[name] !== undefined && attributes[name] !== null);
  return found === undefined ? '' : String(attributes[found]);
};

function blocksOf(children: readonly Markup[]): string[] {
  const blocks: string[] = [];
  let line: Markup[] = [];
  const endLine = () => {
    const text = inline(line).trim();
    if (text !== '') blocks.push(text);
    line = [];
  };
  for (const child of children) {
    if (isTag(child) && !isInline(child)) {
      endLine();
      blocks.push(...blockOf(child));
    } else {
      line.push(child);
    }
  }
  endLine();
  return blocks;
}

/** `code` is a mark in most editors, and a block in Lexical, where it contains further elements. */
const isInline = (tag: Tag): boolean =>
  INLINE_NAMES.has(nameOf(tag)) && !(nameOf(tag) === 'code' && tag.children.some(isTag));

function blockOf(tag: Tag): string[] {
  const { children } = tag;
  switch (nameOf(tag)) {
    case 'heading': {
      const level = Number(attribute(tag, 'level', '__tag', 'tag').replace('h', '')) || 1;
      return [`${'#'.repeat(Math.max(1, Math.min(6, level)))} ${inline(children)}`];
    }
    case 'bulletlist':
    case 'bullet_list':
    case 'tasklist':
    case 'orderedlist':
    case 'ordered_list':
    case 'list':
      return [listOf(tag)];
    case 'bulletlistitem':
      return [item('- ', tag)];
    case 'numberedlistitem':
      return [item('1. ', tag)];
    case 'checklistitem':
      return [item(`- ${checkbox(tag)}`, tag)];
    case 'blockquote':
    case 'quote':
      return [prefixed('> ', '> ', textOf(tag))];
    case 'codeblock':
    case 'code_block':
    case 'code':
    case 'pre':
      return [`\`\`\`${attribute(tag, 'language', '__language')}\n${inline(children)}\n\`\`\``];
    case 'horizontalrule':
    case 'horizontal_rule':
      return ['---'];
    case 'image':
      return [`![${attribute(tag, 'alt', 'caption', 'name')}](${attribute(tag, 'src', 'url')})`];
    case 'table':
      return [tableOf(tag)];
    case 'blockcontainer':
      return containerOf(children);
    default:
      return containsText(tag) ? [inline(children)] : blocksOf(children);
  }
}

/** BlockNote puts the blocks below another block into a group. They are indented in Markdown. */
function containerOf(children: readonly Markup[]): string[] {
  const isGroup = (child: Markup) => isTag(child) && nameOf(child) === 'blockgroup';
  const blocks = blocksOf(children.filter((child) => !isGroup(child)));
  const nested = blocksOf(children.filter(isGroup)).map((block) => prefixed('  ', '  ', block));
  return [...blocks, ...nested];
}

const textOf = (tag: Tag): string =>
  containsText(tag) ? inline(tag.children) : blocksOf(tag.children).join('\n');

const item = (mark: string, tag: Tag): string => prefixed(mark, '  ', textOf(tag));

function listOf(list: Tag): string {
  const kind = `${nameOf(list)} ${attribute(list, '__listType', 'listType')}`;
  const isNumbered = /order|number/.test(kind);
  return list.children
    .filter(isTag)
    .map((entry, index) => {
      const check = /check|task/.test(kind) ? checkbox(entry) : '';
      return item(isNumbered ? `${index + 1}. ` : `- ${check}`, entry);
    })
    .join('\n');
}

const checkbox = (tag: Tag): string =>
  attribute(tag, 'checked', '__checked') === 'true' ? '[x] ' : '[ ] ';

function tableOf(table: Tag): string {
  const rows = table.children.filter(isTag).map((row) => {
    const cells = row.children.filter(isTag).map((cell) => textOf(cell).replaceAll('\n', ' '));
    return `| ${cells.join(' | ')} |`;
  });
  const columns = table.children.find(isTag)?.children.filter(isTag).length ?? 1;
  const [head = '', ...body] = rows;
  return [head, `|${' --- |'.repeat(columns)}`, ...body].join('\n');
}

const prefixed = (first: string, others: string, text: string): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? first : others) + line)
    .join('\n');

function inline(children: readonly Markup[]): string {
  return children.map((child) => (isTag(child) ? inlineOf(child) : child.text)).join('');
}

function inlineOf(tag: Tag): string {
  const name = nameOf(tag);
  const text = inline(tag.children);
  if (BREAK_NAMES.has(name)) return '\n';
  if (LINK_NAMES.has(name)) return `[${text}](${attribute(tag, 'href', '__url')})`;
  if (name === 'mention') return `@${text || attribute(tag, 'label', 'name', 'user', 'id')}`;
  if (name === 'text') return lexicalText(text, Number(attribute(tag, '__format')));
  const mark = MARKS[name] ?? '';
  return text.trim() === '' ? text : `${mark}${text}${mark}`;
}

/** Lexical stores formats as bits: bold, italic, struck through, underlined (which is not shown), and code. */
function lexicalText(text: string, format: number): string {
  if (text.trim() === '') return text;
  const marks = ['**', '*', '~~', '', '`'].filter((_, bit) => (format & (1 << bit)) !== 0);
  return `${marks.join('')}${text}${marks.toReversed().join('')}`;
}
