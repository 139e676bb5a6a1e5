import { addressOf, type Page, type Site } from './pages.ts';

const SUMMARY = `# Collaboration backend

> A self-hosted collaboration backend: organizations, documents and people; who may do what; comments,
> notifications and presence; live documents; webhooks; a memory of decisions. REST (JSON over POST), a
> typed client for TypeScript, and WebSocket.

For machines: [openapi.json](openapi.json), [asyncapi.json](asyncapi.json). All pages in one file:
[llms-full.txt](llms-full.txt).
`;

/** The list of the pages for language models (llmstxt.org). Addresses are relative to the file. */
export function llmsTxt({ pages }: Site): string {
  const sections = Map.groupBy(pages.values(), ({ section }) => section || 'Overview');
  const lists = [...sections].map(([section, own]) => {
    const items = own.map((page) => `- [${page.title}](${markdownFile(page)})${about(page)}`);
    return `## ${section}\n\n${items.join('\n')}\n`;
  });
  return [SUMMARY, ...lists].join('\n');
}

/** All pages in one file. */
export function llmsFullTxt({ pages }: Site): string {
  const texts = [...pages.values()].map(
    (page) => `<!-- ${markdownFile(page)} -->\n\n${page.markdown.trim()}\n`,
  );
  return [SUMMARY, ...texts].join('\n');
}

const markdownFile = ({ path }: Page): string => `${addressOf(path, '').slice(2)}.md`;

/** The dotted name, by which the operation is called. */
const about = ({ path, group }: Page): string => (group ? `: ${path.split('/')[1]}` : '');
