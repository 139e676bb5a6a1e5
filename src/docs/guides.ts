import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
export const DOCS = path.join(ROOT, 'docs');
/** The page that `/docs` shows, and that a code host shows for the folder. */
const HOME = 'README';

/** The guides by their file names, in the order in which they are read. All others come last. */
const SECTIONS: Record<string, string[]> = {
  Start: ['quickstart', 'concepts', 'access', 'client'],
  Build: [
    ...['comments', 'attachments', 'notifications', 'live-documents', 'events', 'webhooks'],
    ...['decision-memory', 'agents'],
  ],
  'Call reliably': ['errors', 'idempotency', 'errors-and-limits'],
  Operate: [
    'going-to-production',
    'configuration',
    'console',
    'containers',
    'command-line',
    'operating',
    'operating/load-balancers',
    'operating/alerts',
    'scaling',
    'performance',
    'performance/growth',
    'security',
    'archives',
    'migration',
  ],
  More: [],
};

export interface Guide {
  /** The address below `/docs`; empty for the first page. */
  path: string;
  title: string;
  section: string;
  markdown: string;
}

/** Reads all guides. */
export async function readGuides(): Promise<Guide[]> {
  const entries = await readdir(DOCS, { recursive: true });
  const files = entries.filter((file) => file.endsWith('.md'));
  const texts = new Map<string, string>([['configuration', await readConfiguration()]]);
  for (const file of files) {
    texts.set(file.replace(/\.md$/, ''), await readFile(path.join(DOCS, file), 'utf8'));
  }
  const placed = Object.entries(SECTIONS).flatMap(([section, names]) =>
    names.map((name) => ({ name, section })),
  );
  const others = [...texts.keys()]
    .filter((name) => name !== HOME && !placed.some((one) => one.name === name))
    .map((name) => ({ name, section: 'More' }));
  return [{ name: HOME, section: '' }, ...placed, ...others.sort(byName)].flatMap(
    ({ name, section }) => {
      const markdown = texts.get(name);
      if (markdown === undefined) return [];
      return [{ path: name === HOME ? '' : name, title: titleOf(markdown), section, markdown }];
    },
  );
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

/** The settings stand in the README of the project, which is no page of the site. */
async function readConfiguration(): Promise<string> {
  const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8');
  const [, section = ''] = readme.split(/^## (?=Configuration$)/m);
  return `# ${section.split(/^## /m)[0]}`.replaceAll('](docs/', '](');
}

export const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? '';
