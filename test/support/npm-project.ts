import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

/** Builds and packs the client into a folder, so that files of tests may do it at once. @returns the archive */
export async function packClient(folder?: string): Promise<string> {
  const into = folder ?? (await temporaryFolder('test-project-'));
  const printed = await runProgram(ROOT, 'node', ['src/write-client.ts', into]);
  return path.join(into, printed.trim().split('\n').at(-1) ?? '');
}

/**
 * Copies a project to a temporary folder, which is removed at the end of the file, and installs its
 * dependencies with npm, as a user of the client does.
 *
 * @param source the project's folder, relative to this repository
 * @param packages additional packages to install
 */
export async function installProject(source: string, ...packages: string[]) {
  const folder = path.join(await temporaryFolder('test-project-'), path.basename(source));
  await mkdir(folder);
  const filter = (file: string) => !file.includes('node_modules');
  await cp(path.join(ROOT, source), folder, { recursive: true, filter });
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'];
  await runProgram(folder, 'npm', ['install', ...options, ...packages]);
  return { folder, run: (file: string, ...args: string[]) => runProgram(folder, file, args) };
}

/** Runs a program, also of the packages in the folder. @returns what it printed @throws with what it printed */
export async function runProgram(
  cwd: string,
  file: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const PATH = [path.join(cwd, 'node_modules/.bin'), process.env.PATH].join(path.delimiter);
  const own = { PATH, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1' };
  const env = { ...process.env, ...own, ...environment };
  try {
    const options = { cwd, env, maxBuffer: MAX_OUTPUT_BYTES };
    return (await promisify(execFile)(file, args, options)).stdout;
  } catch (cause) {
    const { stdout, stderr } = cause as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause });
  }
}
