import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Quickstart } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PROJECT = path.join(import.meta.dirname, '../..');

export const LANGUAGES = ['sh', 'ts', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The code blocks of a Markdown page in a language. */
export const blocksOf = (markdown: string, language: Language): string[] =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (match) => match[1] ?? '',
  );

/**
 * A folder in which the client is installed under the name of its package, as in a user's project.
 * Removed when the tests of the file have ended.
 */
export async function makeUserProject(): Promise<string> {
  const folder = await temporaryFolder('test-examples-');
  const installed = path.join(folder, 'node_modules');
  const client = path.join(folder, 'client');
  await mkdir(installed);
  await mkdir(client);
  await symlink(client, path.join(installed, 'collaboration-client'));
  await symlink(path.join(PROJECT, 'src'), path.join(folder, 'src'));
  for (const name of ['@types', 'undici-types', 'yjs', '@hocuspocus']) {
    await symlink(path.join(PROJECT, 'node_modules', name), path.join(installed, name));
  }
  const entries = { '.': 'index', './server': 'server', './webhooks': 'webhooks' };
  const exports = Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, `./${file}.ts`]),
  );
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
  const manifest = { name: 'collaboration-client', type: 'module', exports };
  await writeFile(path.join(client, 'package.json'), JSON.stringify(manifest));
  for (const file of Object.values(entries)) {
    const source = path.join(PROJECT, 'src/client', `${file}.ts`);
    await writeFile(path.join(client, `${file}.ts`), `export * from '${source}';\n`);
  }
  return folder;
}

/** Writes files into a folder, and returns the compiler's errors in them; empty without any. */
export async function typeErrorsOf(
  folder: string,
  sources: Array<[file: string, source: string]>,
  options: object,
): Promise<string> {
  for (const [file, source] of sources) await writeFile(path.join(folder, file), source);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2024', types: ['node'] },
    ...{ skipLibCheck: true, allowImportingTsExtensions: true },
    ...options,
  };
  const files = sources.map(([file]) => file);
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const run = promisify(execFile)(path.join(PROJECT, 'node_modules/.bin/tsc'), ['-p', folder]);
  return (await run.catch((error: { stdout: string }) => error)).stdout;
}

/** The variables that the examples read. */
export const variablesOf = (quickstart: Quickstart): Record<string, string> => ({
  URL: quickstart.url,
  API_KEY: quickstart.apiKey,
  AUTH_TOKEN: quickstart.authToken,
  WORKSPACE_ID: quickstart.workspaceId,
  WORKSPACE_AUTH_TOKEN: quickstart.workspaceAuthToken,
  ADMIN_TOKEN: quickstart.adminToken,
});

/** A program that runs a file of the language. */
const RUNNERS: Record<Language, { file: string; command: string[] }> = {
  sh: { file: 'example.sh', command: ['bash', '-euo', 'pipefail'] },
  ts: { file: 'example.ts', command: [process.execPath] },
  python: { file: 'example.py', command: ['python3'] },
};

/** Starts an example as a reader would, in a folder of `makeUserProject`. */
export async function startExample(
  folder: string,
  language: Language,
  source: string,
  variables: Record<string, string>,
) {
  const { file, command } = RUNNERS[language];
  await writeFile(path.join(folder, file), source);
  const [program = '', ...args] = command;
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(program, [...args, file], {
    cwd: folder,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The shell and its programs end together.
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  return {
    /** The lines that it has printed so far. */
    printed: () => text,
    /** The exit code; null when it was ended. */
    ended: once(child, 'close').then(([code]): number | null => code),
    end: () => {
      if (child.exitCode === null && child.signalCode === null)
        process.kill(-(child.pid ?? 0), 'SIGTERM');
    },
  };
}

/**
 * Runs an example to its end.
 *
 * @returns what it printed; for curl, the HTTP status follows
 * @throws Error when the program fails, with what it printed
 */
export async function runExample(
  folder: string,
  language: Language,
  source: string,
  variables: Record<string, string>,
): Promise<string> {
  const withStatus = source.replace(/curl -sS(?! -w)/g, "curl -sS -w '\\nHTTP %{http_code}\\n'");
  const { ended, printed } = await startExample(folder, language, withStatus, variables);
  const code = await ended;
  if (code !== 0) throw new Error(`The example ended with ${code}:\n${source}\n${printed()}`);
  return printed();
}
