import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../support/eventually.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import type { Finding, Measurement } from '../harness/benchmark.ts';
import { withFilled } from '../harness/databases.ts';
import { startOurs } from '../harness/servers.ts';

const HARNESS = path.join(import.meta.dirname, '../harness');
/** The server itself, with everything that it loads at its start. */
const SERVER = path.join(import.meta.dirname, '../../../src/app.ts');
const SHOWN = 20;

/** Lists what a start loads: the packages with the most source code, and each one's cost alone. */
const startModules: Measurement = {
  name: 'start-modules',
  async measure(postgres) {
    const sizes = await withFilled(postgres, async () => undefined, loadedModules);
    const packages = groupByPackage(sizes);
    const largest = [...packages].toSorted(([, a], [, b]) => b.bytes - a.bytes).slice(0, SHOWN);
    const findings = [{ label: 'everything', value: await costOf(SERVER) }];
    for (const [label, { modules, bytes }] of largest) {
      const size = `${modules} modules, ${Math.round(bytes / 1024)} KB of source`;
      findings.push({ label, value: label === OWN ? size : `${size}; ${await costOf(label)}` });
    }
    return findings satisfies Finding[];
  },
};

async function loadedModules(databaseUrl: string): Promise<Record<string, number>> {
  const folder = await makeTemporaryFolder('bench-modules-');
  const file = path.join(folder, 'modules.json');
  const preloaded = ['--import', path.join(HARNESS, 'report-modules.ts')];
  const server = await startOurs(databaseUrl, { BENCH_MODULES_FILE: file }, preloaded);
  try {
    process.kill(server.pid, 'SIGUSR2');
    return await eventually(async () => JSON.parse(await readFile(file, 'utf8')));
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const OWN = 'our own';

function groupByPackage(sizes: Record<string, number>) {
  const packages = new Map<string, { modules: number; bytes: number }>();
  for (const [url, bytes] of Object.entries(sizes)) {
    if (url.startsWith('node:')) continue;
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? OWN;
    const known = packages.get(name) ?? { modules: 0, bytes: 0 };
    packages.set(name, { modules: known.modules + 1, bytes: known.bytes + bytes });
  }
  return packages;
}

/** What importing a module takes in a process that has loaded nothing else. */
async function costOf(module: string): Promise<string> {
  const script = path.join(HARNESS, 'import-alone.ts');
  try {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--expose-gc', script, module]);
    const { elapsedMs, bytes } = JSON.parse(stdout);
    return `${Math.round(elapsedMs)} ms and ${Math.round(bytes / 1024 ** 2)} MB alone`;
  } catch {
    return 'cannot be imported alone';
  }
}

export default startModules;
