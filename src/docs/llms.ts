import { addressOf, type Page } from './page.ts';

const SUMMARY = `# Collaboration backend

> A self-hosted collaboration backend: organizations, documents and people; who may do what; comments,
> notifications and presence; live documents; webhooks; a memory of decisions. REST (JSON over POST), a
> typed client for TypeScript, and WebSocket.

For machines: [openapi.json](openapi.json), [asyncapi.json](asyncapi.json). All pages in one file:
[llms-full.txt](llms-full.txt).
`;

/** The address of a page's Markdown, without the `./` at the beginning. */
const markdownFile = ({ path }: Page): string => `${addressOf(path, '').replace(/^\.\//, '')}.md`;

/** Returns the list of all pages for language models (llmstxt.org). Addresses are relative to the file of the list. */
export function llmsTxt(pages: Page[]): string {
  const lists = [...Map.groupBy(pages, ({ section }) => section)].map(([section, members]) => {
    const items = members.map((page) => {
      // Clients call an operation by its dotted name.
      const name = page.group ? `: ${page.path.split('/')[1]}` : '';
      return `- [${page.title}](${markdownFile(page)})${name}\n`;
    });
    return `## ${section || 'Overview'}\n\n${items.join('')}`;
  });
  return [SUMMARY, ...lists].join('\n');
}

export function llmsFullTxt(pages: Page[]): string {
  const texts = pages.map((page) => `<!-- ${markdownFile(page)} -->\n\n${page.markdown.trim()}\n`);
  return [SUMMARY, ...texts].join('\n');
}
