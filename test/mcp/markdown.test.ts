import { expect, it } from 'vitest';
import { toMarkdown } from '../../src/mcp/markdown.ts';
import { pagesOf } from '../../src/mcp/tools/documents.ts';

const CASES: Array<[editor: string, xml: string, markdown: string]> = [
  [
    'Tiptap: headings, paragraphs and marks',
    '<heading level="2">A <em>b</em></heading><paragraph>One <bold>two</bold> <code>three</code> <strike>four</strike> <link href="https://a.example">five</link><hardBreak/>six</paragraph>',
    '## A *b*\n\nOne **two** `three` ~~four~~ [five](https://a.example)\nsix',
  ],
  [
    'Tiptap: lists in lists',
    '<bulletList><listItem><paragraph>a</paragraph><orderedList><listItem><paragraph>b</paragraph></listItem></orderedList></listItem><listItem><paragraph>c</paragraph></listItem></bulletList>',
    '- a\n  1. b\n- c',
  ],
  [
    'Tiptap: tasks, quotes, code, rules and images',
    '<taskList><taskItem checked="true"><paragraph>a</paragraph></taskItem></taskList><blockquote><paragraph>b</paragraph></blockquote><codeBlock language="ts">c\nd</codeBlock><horizontalRule/><image alt="e" src="f.png"/>',
    '- [x] a\n\n> b\n\n```ts\nc\nd\n```\n\n---\n\n![e](f.png)',
  ],
  [
    'Tiptap: tables',
    '<table><tableRow><tableHeader><paragraph>a</paragraph></tableHeader><tableHeader><paragraph>b</paragraph></tableHeader></tableRow><tableRow><tableCell><paragraph>c</paragraph></tableCell><tableCell><paragraph>d</paragraph></tableCell></tableRow></table>',
    '| a | b |\n| --- | --- |\n| c | d |',
  ],
  [
    'BlockNote: blocks below others',
    '<blockGroup><blockContainer id="1"><bulletListItem>a</bulletListItem><blockGroup><blockContainer id="2"><checkListItem checked="false">b</checkListItem></blockContainer></blockGroup></blockContainer></blockGroup>',
    '- a\n\n  - [ ] b',
  ],
  [
    'Lexical: its names and formats',
    '<heading __tag="h3"><text>a</text></heading><paragraph><text __format="{3}">b</text><linebreak/><link __url="https://a.example"><text>c</text></link></paragraph><list __listType="number"><listitem><text>d</text></listitem></list><code __language="js"><text>e</text><linebreak/><text>f</text></code>',
    '### a\n\n***b***\n[c](https://a.example)\n\n1. d\n\n```js\ne\nf\n```',
  ],
  [
    'an unknown editor: the text remains',
    '<card><title>a</title><body><p>b</p><p>c</p></body></card>',
    'a\n\nb\n\nc',
  ],
  ['marks without text', '<paragraph>a<bold> </bold>b</paragraph>', 'a b'],
  [
    'headings of unknown levels',
    '<heading level="-1">a</heading><heading level="99">b</heading>',
    '# a\n\n###### b',
  ],
];

it.each(CASES)('Markdown of rich text %s', (_editor, xml, markdown) => {
  expect(toMarkdown(xml)).toBe(markdown);
});

it.each([
  ['one long line', 'x'.repeat(20_000)],
  ['lines', 'a line\n'.repeat(5_000)],
  ['surrogate pairs', `x${'😀'.repeat(10_000)}`],
])('pages of a text of %s add up to it, and none cuts a character', (_name, text) => {
  const pages = pagesOf(text);
  expect(pages.join('')).toBe(text);
  for (const page of pages) {
    expect(page.length).toBeLessThanOrEqual(8_000);
    expect(page.isWellFormed()).toBe(true);
  }
});
