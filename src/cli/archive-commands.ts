import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { createServerClient } from '../client/server.ts';
import { StartError } from '../platform/start-error.ts';
import {
  type Comparison,
  compareServers,
  compareSettings,
  type Difference,
} from './archive/compare.ts';
import { downloadArchive, uploadArchive } from './archive/transfer.ts';
import { printResult, progress } from './report.ts';
import { type KeyOptions, keyTargetOf, withKeyOptions } from './target.ts';

interface Options extends KeyOptions {
  organization?: string;
  force?: boolean;
}

interface CompareOptions extends KeyOptions {
  organization?: string[];
  toUrl: string;
  toApiKey: string;
  toAuthToken: string;
}

const SHOWN_LENGTH = 200;

/** @returns the command `import`, to which sources other than archives are added */
export function addArchiveCommands(program: Command): Command {
  withKeyOptions(
    program
      .command('export')
      .description('Download an archive of an organization, or of everything of an API key')
      .argument('<file>', 'the archive to write, such as acme.tar')
      .option('--organization <id>', 'the organization; without it, all of the key')
      .option('--force', 'replace a file of that name'),
  ).action(exportArchive);
  const importing = withKeyOptions(
    program
      .command('import')
      .enablePositionalOptions()
      .description('Import an archive, all of it or nothing')
      .argument('<file>', 'a file that export has written')
      .option('--organization <id>', 'refuse an archive of anything else'),
  ).action(importArchive);
  withKeyOptions(
    program
      .command('compare')
      .description('Compare what two servers show of organizations; exits with 1 if it differs')
      .requiredOption('--to-url <url>', 'the other server')
      .requiredOption('--to-api-key <key>', 'the API key there')
      .requiredOption('--to-auth-token <token>', 'the auth token of that key')
      .option('--organization <id...>', 'only these organizations; without it, all of the key'),
  ).action(compare);
  return importing;
}

const onStatus = ({
  state,
  progress: { rows, files },
}: {
  state: string;
  progress: { rows: number; files: number };
}) => progress(`${state}: ${rows} rows, ${files} files`);

async function exportArchive(file: string, options: Options): Promise<void> {
  if (existsSync(file) && !options.force) {
    throw new StartError(`${file} exists. Give another name, or --force to replace it.`);
  }
  const client = createServerClient(keyTargetOf(options));
  const { report } = await downloadArchive(client, options.organization, { file, onStatus });
  printResult({ file, ...report }, options, `Exported ${countOf(report)} to ${file}.`);
}

async function importArchive(file: string, options: Options): Promise<void> {
  if (!existsSync(file)) throw new StartError(`There is no file ${file}.`);
  const client = createServerClient(keyTargetOf(options));
  const { report } = await uploadArchive(client, options.organization, { file, onStatus });
  printResult({ file, ...report }, options, `Imported ${countOf(report)} from ${file}.`);
}

function countOf(report: { rows: Record<string, number>; files: number } | undefined): string {
  const rows = Object.values(report?.rows ?? {}).reduce((sum, count) => sum + count, 0);
  return `${rows} rows and ${report?.files ?? 0} files`;
}

async function compare(options: CompareOptions): Promise<void> {
  const ours = createServerClient(keyTargetOf(options));
  const { toUrl: url, toApiKey: apiKey, toAuthToken: authToken } = options;
  const theirs = createServerClient({ url, apiKey, authToken });
  const both = [ours, theirs] as const;
  const comparison = await compareServers(both, options.organization ?? organizationsOf(ours));
  if (!options.organization) await compareSettings(both, comparison);
  printResult(comparison, options, textOf(comparison));
  if (comparison.differences.length > 0) process.exitCode = 1;
}

async function* organizationsOf(client: ReturnType<typeof createServerClient>) {
  for await (const { data } of client.organizations.pages({})) {
    for (const { organizationId } of data) yield organizationId;
  }
}

function textOf({ compared, differences }: Comparison): string {
  const count = Object.values(compared).reduce((sum, each) => sum + each, 0);
  if (differences.length === 0) return `Nothing differs in ${count} items.`;
  return differences.map(lineOf).join('\n');
}

const lineOf = ({ kind, at, ours, theirs }: Difference): string =>
  `${kind} ${at}: ${shown(ours)} | ${shown(theirs)}`;

const shown = (text: string | undefined): string => text?.slice(0, SHOWN_LENGTH) ?? 'nothing';
