import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOCS } from './guides.ts';
import { layout } from './layout.ts';
import { Links } from './links.ts';
import { llmsFullTxt, llmsTxt } from './llms.ts';
import { type Page, readSite } from './pages.ts';
import { render } from './render.ts';
import { searchIndex } from './search-index.ts';

const OUTPUT = path.join(import.meta.dirname, '../../dist/site');
const ASSETS = path.join(import.meta.dirname, 'assets');
const IMAGE = /\.(?:svg|png|webp)$/;

/**
 * Writes the documentation to `dist/site`, one file for each address that serves it: pages as HTML and
 * as Markdown, what they load, and the files for language models. What is there already stays
 * untouched, so that servers can read while this runs.
 */
export async function buildSite(): Promise<void> {
  const site = await readSite();
  const links = new Links(site.document);
  const files = new Map<string, string | Buffer>([
    ['llms.txt', llmsTxt(site)],
    ['llms-full.txt', llmsFullTxt(site)],
    ['docs/assets/search.json', JSON.stringify(searchIndex(site))],
    ['docs/assets/minisearch.js', await readFile(fileURLToPath(import.meta.resolve('minisearch')))],
  ]);
  for (const name of await readdir(ASSETS)) {
    files.set(`docs/assets/${name}`, await readFile(path.join(ASSETS, name)));
  }
  for (const name of await readdir(DOCS, { recursive: true })) {
    if (IMAGE.test(name)) files.set(`docs/${name}`, await readFile(path.join(DOCS, name)));
  }
  const html = async (page: Page) =>
    layout(page, await render(page.markdown, page.path, links), site);
  for (const page of site.pages.values()) {
    const name = page.path === '' ? 'docs' : `docs/${page.path}`;
    files.set(`${name}.html`, await html(page));
    files.set(`${name}.md`, page.markdown);
  }
  files.set('not-found.html', await html(NOT_FOUND));
  await write(files);
}

/** The page for addresses without content. The server sends it at any depth. */
const NOT_FOUND: Page = {
  path: 'not-found',
  title: 'Page not found',
  section: '',
  markdown: `# Page not found

There is no page at this address. Search for it with the key \`/\`, or begin at the
[overview](README.md). All operations are [listed](operations.md), too.`,
};

async function write(files: Map<string, string | Buffer>): Promise<void> {
  await mkdir(OUTPUT, { recursive: true });
  for (const entry of await readdir(OUTPUT, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(path.relative(OUTPUT, file))) await rm(file);
  }
  for (const [name, text] of files) {
    const file = path.join(OUTPUT, name);
    const content = Buffer.from(text);
    const known = await readFile(file).catch(() => undefined);
    if (known?.equals(content)) continue;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
