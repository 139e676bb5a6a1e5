import { execFile } from 'node:child_process';
import { readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addBackupCommands } from '../../src/cli/backup-commands.ts';
import { addCreateCommands } from '../../src/cli/create-commands.ts';
import { addDatabaseCommands } from '../../src/cli/database-commands.ts';
import { addDoctorCommand } from '../../src/cli/doctor-command.ts';
import { addKeyCommands } from '../../src/cli/key-commands.ts';
import { typeErrorsOf } from '../support/run-example.ts';
import { RUN_ELSEWHERE, RUN_GUIDES } from '../support/run-guides.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MODULES = path.join(ROOT, 'node_modules');

/** Names that the examples of the guides use without declaring them. */
const SURROUNDINGS = `
import type { CollaborationClient } from 'collaboration-client';
import type { EditorView } from 'prosemirror-view';
import type * as Y from 'yjs';
import type { TextMarks } from 'collaboration-client/anchors';
declare global {
  const client: CollaborationClient;
  const url: string, apiKey: string, authToken: string, organizationId: string, documentId: string;
  const token: string, headers: Record<string, string>;
  const fragment: Y.XmlFragment;
  const editor: { view: EditorView };
  const marks: TextMarks;
  function showPresentText(text: unknown): void;
  const POST: (request: Request) => Promise<Response>;
  const app: { post(path: string, handle: (req: any, res: any) => Promise<void>): void };
  const resolveUsers: (userIds: string[]) => Promise<never[]>;
  function currentToken(): Promise<string>;
  function ticketFromServer(): Promise<{ ticket: string }>;
  function openThread(annotationId: string): void;
  function userOf(request: Request): Promise<
    { id: string; name: string; email: string; company: string } | undefined
  >;
}
`;

interface Example {
  page: string;
  language: string;
  source: string;
}

async function readExamples(): Promise<Example[]> {
  const guides = (await readdir(path.join(ROOT, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const read = ['README.md', ...guides].map(async (page) => {
    const text = await readFile(path.join(ROOT, page), 'utf8');
    const blocks = text.matchAll(/^```(\w+)\n(.*?)^```$/gms);
    return [...blocks].map(([, language = '', source = '']) => ({ page, language, source }));
  });
  return (await Promise.all(read)).flat();
}

const nameOf = (page: string) => path.basename(page, '.md');

it('the examples of all guides have no type errors', async () => {
  const examples = (await readExamples()).filter(({ language }) => /^tsx?$/.test(language));
  expect(examples.length).toBeGreaterThan(20);
  // Each has a name that says where it stands: `docs-events-md-12.ts`.
  const named = examples.map(({ page, language, source }, at): [string, string] => [
    `${page.replaceAll(/[./]/g, '-')}-${at}.${language}`,
    `${source}\nexport {};\n`,
  ]);
  const folder = await temporaryFolder('guide-examples-');
  await symlink(MODULES, path.join(folder, 'node_modules'));
  // Some examples import the source, as a file in the folder of the project does.
  await symlink(path.join(ROOT, 'src'), path.join(folder, 'src'));
  await symlink(
    path.join(ROOT, 'examples/token-endpoint.ts'),
    path.join(folder, 'token-endpoint.ts'),
  );
  const sources: Array<[string, string]> = [['surroundings.d.ts', SURROUNDINGS], ...named];
  const options = {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2024', 'dom', 'dom.asynciterable'],
    jsx: 'react-jsx',
    noUncheckedSideEffectImports: false,
    paths: {
      'collaboration-client': [path.join(ROOT, 'src/client/index.ts')],
      'collaboration-client/*': [path.join(ROOT, 'src/client/*.ts')],
    },
  };
  expect(await typeErrorsOf(folder, sources, options)).toBe('');
}, 180_000);

it('every example for curl and in Python runs in a test', async () => {
  const examples = await readExamples();
  const run = new Set([...RUN_GUIDES, ...RUN_ELSEWHERE]);
  const others = examples
    .filter(({ language }) => ['sh', 'python', 'js'].includes(language))
    .filter(({ page }) => !run.has(nameOf(page)));
  expect(others).toEqual([]);
});

/** The commands of this project in an example: `create workspace --owner-email x`, by word. */
const commandsIn = (source: string): string[][] =>
  [...source.matchAll(/(?:npx|<container>|backend-1) collaboration ((?:\\\n|[^\n|])+)/g)].map(
    ([, words = '']) => words.split(/[\s\\]+/).filter(Boolean),
  );

it('every command for operators is one of the shell and of this project', async () => {
  const examples = (await readExamples()).filter(({ language }) => language === 'bash');
  const commands = examples.flatMap(({ source }) => commandsIn(source));
  expect(commands.length).toBeGreaterThan(12);
  const whole = examples.map(({ source }) => source).join('\n');
  await promisify(execFile)('bash', ['-n', '-c', whole]);
  const program = new Command();
  addCreateCommands(program);
  addDatabaseCommands(program);
  addBackupCommands(program);
  addKeyCommands(program);
  addDoctorCommand(program);
  for (const words of commands) {
    const [name = '', second = ''] = words;
    const command = program.commands.find((each) => each.name() === name);
    expect(command, name).toBeDefined();
    const nested = command?.commands.find((each) => each.name() === second);
    const known = [command, nested].flatMap((each) => each?.options.map(({ long }) => long) ?? []);
    expect(known, words.join(' ')).toEqual(
      expect.arrayContaining(words.filter((word) => word.startsWith('--'))),
    );
  }
});
