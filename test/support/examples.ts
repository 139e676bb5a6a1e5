import { spawn } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { packClient, runProgram } from './npm-project.ts';
import { endProcess } from './processes.ts';
import type { TestServer } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { whenFileEnds } from './when-file-ends.ts';

const SOURCE = path.join(import.meta.dirname, '../../examples');
const START_DEADLINE_MS = 30_000;

/** Installs the examples in a temporary folder, as a reader would. One server is for all of them. */
export async function installExamples(server: TestServer) {
  const base = await temporaryFolder('test-examples-');
  const folder = path.join(base, 'examples');
  await mkdir(path.join(base, 'dist'));
  await packClient(path.join(base, 'dist'));
  const isSource = (file: string) =>
    !/node_modules|\/\.next|\/dist(\/|$)/.test(file.slice(SOURCE.length));
  await cp(SOURCE, folder, { recursive: true, filter: isSource });
  const options = ['--prefer-offline', '--no-audit', '--no-fund'];
  await runProgram(folder, 'npm', ['install', ...options]);

  const environment = {
    COLLABORATION_CREDENTIALS: path.join(server.dataDir, 'quickstart.json'),
    VITE_COLLABORATION_URL: server.url,
    COLLABORATION_URL: server.url,
    COLLABORATION_API_KEY: server.quickstart.apiKey,
    COLLABORATION_AUTH_TOKEN: server.quickstart.authToken,
  };
  const of = (example: string) => path.join(folder, example);
  /** Starts a program in an example's folder, until the tests of the file have ended. */
  const start = (example: string, file: string, ...args: string[]) => {
    const PATH = [path.join(folder, 'node_modules/.bin'), process.env.PATH].join(path.delimiter);
    const env = { ...process.env, ...environment, PATH, NODE_ENV: 'production' };
    const program = spawn(file, args, { cwd: of(example), env });
    whenFileEnds(() => endProcess(program, 'SIGTERM'));
    const printed: string[] = [];
    for (const stream of [program.stdout, program.stderr]) {
      stream.on('data', (bytes: Buffer) => printed.push(String(bytes)));
    }
    return { printed };
  };
  const buildAndStart = async (example: string, file: string, argument: string) => {
    await runProgram(of(example), 'npm', ['run', 'build'], environment);
    const port = await freePort();
    const { printed } = start(example, file, argument, '--port', `${port}`);
    const url = `http://localhost:${port}`;
    await eventually(async () => {
      const { ok } = await fetch(url);
      if (!ok) throw new Error(`${example} is not served: ${printed.join('')}`);
    }, START_DEADLINE_MS);
    return url;
  };
  const served = new Map<string, Promise<string>>();
  return {
    /** Runs a program in an example's folder. @returns what it printed */
    run: (example: string, file: string, ...args: string[]) =>
      runProgram(of(example), file, args, environment),
    start,
    /** Builds an example once, and serves it by `command`. @returns the address of its page */
    serve(example: string, command: [file: string, argument: string] = ['vite', 'preview']) {
      const address = served.get(example) ?? buildAndStart(example, ...command);
      served.set(example, address);
      return address;
    },
  };
}
