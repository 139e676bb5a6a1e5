import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from './page.ts';
import type { ApiDocument } from './reference/api-document.ts';
import { referencePages } from './reference/pages.ts';

const ROOT = path.join(import.meta.dirname, '../..');
export const DOCS = path.join(ROOT, 'docs');

export interface Site {
  pages: Page[];
  document: ApiDocument;
}

/** Reads the guides and the contract, and lists the pages. */
export async function readSite(): Promise<Site> {
  const file = path.join(ROOT, 'src/api/openapi.json');
  const document: ApiDocument = JSON.parse(await readFile(file, 'utf8'));
  return { document, pages: [...(await readGuides()), ...referencePages(document)] };
}

/** Reads the guides. The links on the first page decide their sections and their order. */
async function readGuides(): Promise<Page[]> {
  const home = await readGuide('', 'README', '');
  const guides = home.markdown
    .split(/^## /m)
    .slice(1)
    .flatMap((text) => {
      const section = text.split('\n', 1)[0] ?? '';
      // Links lead to `crdt.md`, and to `../README.md#configuration`, which is the page `configuration`.
      const names = text.matchAll(/\]\((?:\.\.\/README\.md#)?([\w/-]+)(?:\.md)?\)/g);
      return [...names].map(([, name = '']) => readGuide(name, name, section));
    });
  return [home, ...(await Promise.all(guides))];
}

async function readGuide(address: string, name: string, section: string): Promise<Page> {
  const markdown =
    name === 'configuration'
      ? await readConfiguration()
      : await readFile(path.join(DOCS, `${name}.md`), 'utf8');
  return { path: address, title: /^# (.+)$/m.exec(markdown)?.[1] ?? '', section, markdown };
}

/** Reads the page about the settings, which is a section of the project's README. */
async function readConfiguration(): Promise<string> {
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const [, section = ''] = readme.split(/^## (?=Configuration$)/m);
  return `# ${section.split(/^## /m)[0]}`.replaceAll('](docs/', '](');
}
