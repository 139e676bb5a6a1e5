import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MODULES = path.join(ROOT, 'node_modules');

/** What the examples of the guide use without saying where it comes from. */
const SURROUNDINGS = `
import type { CollaborationClient } from 'collaboration-client';
import type { EditorView } from 'prosemirror-view';
import type * as Y from 'yjs';
declare global {
  const client: CollaborationClient;
  const url: string, apiKey: string, authToken: string, organizationId: string, documentId: string;
  const fragment: Y.XmlFragment;
  const editor: { view: EditorView };
  const POST: (request: Request) => Promise<Response>;
  const app: { post(path: string, handle: (req: any, res: any) => Promise<void>): void };
  const resolveUsers: (userIds: string[]) => Promise<never[]>;
  function openThread(annotationId: string): void;
  function userOf(request: Request): Promise<
    { id: string; name: string; email: string; company: string } | undefined
  >;
}
`;

it('the examples of the client guide have no type errors', async () => {
  const guide = await readFile(path.join(ROOT, 'docs/client.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```(tsx?)\n(.*?)^```$/gms)];
  expect(blocks.length).toBeGreaterThan(7);
  const folder = await makeTemporaryFolder('client-guide-');
  await symlink(MODULES, path.join(folder, 'node_modules'));
  const files = ['surroundings.d.ts'];
  await writeFile(path.join(folder, 'surroundings.d.ts'), SURROUNDINGS);
  for (const [at, [, language, source]] of blocks.entries()) {
    files.push(`example-${at}.${language}`);
    await writeFile(path.join(folder, files.at(-1) ?? ''), `${source}\nexport {};\n`);
  }
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.asynciterable'],
    jsx: 'react-jsx',
    types: [],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noUncheckedSideEffectImports: false,
    paths: {
      'collaboration-client': [path.join(ROOT, 'src/client/index.ts')],
      'collaboration-client/*': [path.join(ROOT, 'src/client/*.ts')],
    },
  };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const run = promisify(execFile)(path.join(MODULES, '.bin/tsc'), ['-p', folder]);
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
}, 60_000);
