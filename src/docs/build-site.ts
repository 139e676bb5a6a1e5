import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { layout } from './layout.ts';
import { Links } from './links.ts';
import { llmsFullTxt, llmsTxt } from './llms.ts';
import type { Page } from './page.ts';
import { DOCS, readSite } from './pages.ts';
import { render, searchEntries } from './render.ts';

const OUTPUT = path.join(import.meta.dirname, '../../dist/site');
const ASSETS = path.join(import.meta.dirname, 'assets');
const IMAGE_NAME = /\.(?:svg|png|webp)$/;

/**
 * Writes the documentation to `dist/site`, one file for each address: pages as HTML
 * and as Markdown, their assets, and the files for language models. Unchanged files are not written
 * again, so that servers can read while this runs.
 */
export async function buildSite(): Promise<void> {
  const site = await readSite();
  const links = new Links(site);
  const files = new Map<string, string | Buffer>([
    ['llms.txt', llmsTxt(site.pages)],
    ['llms-full.txt', llmsFullTxt(site.pages)],
    ['docs/assets/minisearch.js', await readFile(fileURLToPath(import.meta.resolve('minisearch')))],
  ]);
  for (const name of await readdir(ASSETS)) {
    files.set(`docs/assets/${name}`, await readFile(path.join(ASSETS, name)));
  }
  for (const name of await readdir(DOCS, { recursive: true })) {
    if (IMAGE_NAME.test(name)) files.set(`docs/${name}`, await readFile(path.join(DOCS, name)));
  }
  const entries = [];
  for (const page of site.pages) {
    const name = page.path === '' ? 'docs' : `docs/${page.path}`;
    const html = await render(page, links);
    files.set(`${name}.html`, layout(page, html, site.pages));
    files.set(`${name}.md`, page.markdown);
    entries.push(...searchEntries(page, html));
  }
  files.set('docs/assets/search.json', JSON.stringify(entries));
  files.set('not-found.html', layout(NOT_FOUND, await render(NOT_FOUND, links), site.pages));
  await writeFiles(files);
}

/** The page that the server sends for unknown addresses of any depth. */
const NOT_FOUND: Page = {
  path: 'not-found',
  title: 'Page not found',
  section: '',
  markdown: `# Page not found

There is no page at this address. Press \`/\` to search, or begin at the [overview](README.md) or at the
[list of all operations](operations.md).`,
};

async function writeFiles(files: Map<string, string | Buffer>): Promise<void> {
  await mkdir(OUTPUT, { recursive: true });
  for (const entry of await readdir(OUTPUT, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(path.relative(OUTPUT, file))) await rm(file);
  }
  for (const [name, text] of files) {
    const file = path.join(OUTPUT, name);
    const content = Buffer.from(text);
    const existing = await readFile(file).catch(() => undefined);
    if (existing?.equals(content)) continue;
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
