import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { ActivitiesVerifyOutput, OrganizationsTransferStatusOutput } from '../api/contract.ts';
import { createServerClient } from '../client/server.ts';
import { readConfig } from '../config.ts';
import { StartError } from '../platform/start-error.ts';
import { compareServers, compareSettings } from './archive/compare.ts';
import { downloadArchive, uploadArchive } from './archive/transfer.ts';
import { progress, setAction } from './command.ts';
import { importVelt } from './import-velt/import-velt.ts';
import { reportText } from './import-velt/report.ts';
import {
  addKeyOptions,
  clientOf,
  type KeyOptions,
  keyTargetOf,
  organizationsOf,
} from './target.ts';
import { refuseToReplace } from './write-atomically.ts';

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

const EXCERPT_LENGTH = 200;

/** Adds the commands that call running servers with API keys. */
export function addKeyCommands(program: Command): void {
  const exportCommand = program
    .command('export')
    .description('Download an archive of an organization, or of all data of an API key')
    .argument('<file>', 'the archive to write, such as acme.tar')
    .option('--organization <id>', 'the organization (default: all of the key)')
    .option('--force', 'replace the file if it exists');
  setAction(addKeyOptions(exportCommand), exportArchive);
  const importCommand = program
    .command('import')
    .enablePositionalOptions()
    .description('Import an archive, all of it or nothing')
    .argument('<file>', 'a file that export has written')
    .option('--organization <id>', 'refuse the archive if it is not of this organization');
  setAction(addKeyOptions(importCommand), importArchive);
  const key = new Option('--from-api-key <key>', 'the API key there').env('VELT_API_KEY');
  const token = new Option('--from-auth-token <token>', 'the auth token of that key');
  const importVeltCommand = importCommand
    .command('velt')
    .description(
      'Import all that an API key of the hosted service can read. It is safe to run this again',
    )
    .option('--from <url>', 'the hosted service', 'https://api.velt.dev')
    .addOption(key.makeOptionMandatory())
    .addOption(token.env('VELT_AUTH_TOKEN').makeOptionMandatory())
    .option('--dry-run', 'only read and count');
  setAction(addKeyOptions(importVeltCommand), importFromVelt);
  const compareCommand = program
    .command('compare')
    .description('Compare organizations as two servers show them; exits with 1 if they differ')
    .requiredOption('--to-url <url>', 'the other server')
    .requiredOption('--to-api-key <key>', 'the API key there')
    .requiredOption('--to-auth-token <token>', 'the auth token of that key')
    .option('--organization <id...>', 'only these organizations (default: all of the key)');
  setAction(addKeyOptions(compareCommand), compare);
  const verifyCommand = program
    .command('verify-activity')
    .description('Verify that no record in activity logs was changed; exits with 1 if one was')
    .option('--organization <id...>', 'only these organizations (default: all of the key)');
  setAction(addKeyOptions(verifyCommand), verifyActivity);
}

const onStatus = ({ state, progress: { rows, files } }: OrganizationsTransferStatusOutput) =>
  progress(`${state}: ${rows} rows, ${files} files`);

async function exportArchive(file: string, options: Options) {
  refuseToReplace(file, options);
  const report = await downloadArchive(clientOf(options), options.organization, { file, onStatus });
  return { result: { file, ...report }, text: `Exported ${countOf(report)} to ${file}.` };
}

async function importArchive(file: string, options: Options) {
  if (!existsSync(file)) throw new StartError(`There is no file ${file}.`);
  const report = await uploadArchive(clientOf(options), options.organization, { file, onStatus });
  return { result: { file, ...report }, text: `Imported ${countOf(report)} from ${file}.` };
}

function countOf(report: OrganizationsTransferStatusOutput['report']): string {
  const rows = Object.values(report?.rows ?? {}).reduce((sum, count) => sum + count, 0);
  return `${rows} rows and ${report?.files ?? 0} files`;
}

async function compare({ toUrl, toApiKey, toAuthToken, organization, ...key }: CompareOptions) {
  const ours = clientOf(key);
  const theirs = createServerClient({ url: toUrl, apiKey: toApiKey, authToken: toAuthToken });
  const clients = [ours, theirs] as const;
  const comparison = await compareServers(clients, organization ?? organizationsOf(ours));
  if (!organization) await compareSettings(clients, comparison);
  const { compared, differences } = comparison;
  const count = Object.values(compared).reduce((sum, each) => sum + each, 0);
  const lines = differences.map(
    ({ kind, at, ...sides }) => `${kind} ${at}: ${excerpt(sides.ours)} | ${excerpt(sides.theirs)}`,
  );
  const text = lines.join('\n') || `No differences in ${count} items.`;
  return { result: comparison, text, isWrong: lines.length > 0 };
}

const excerpt = (text: string | undefined): string => text?.slice(0, EXCERPT_LENGTH) ?? 'nothing';

interface VeltOptions extends KeyOptions {
  from: string;
  fromApiKey: string;
  fromAuthToken: string;
  dryRun?: boolean;
}

async function importFromVelt({ from, fromApiKey, fromAuthToken, dryRun, ...key }: VeltOptions) {
  const report = await importVelt({
    from: { url: from, apiKey: fromApiKey, authToken: fromAuthToken },
    to: keyTargetOf(key),
    isDryRun: dryRun === true,
    allowedNetworks: readConfig().outboundAllowedNetworks,
  });
  return { result: report, text: reportText(report), isWrong: report.refusals.length > 0 };
}

type Verification = ActivitiesVerifyOutput & { organizationId: string };

async function verifyActivity({ organization, ...key }: KeyOptions & { organization?: string[] }) {
  const client = clientOf(key);
  const organizations: Verification[] = [];
  for await (const organizationId of organization ?? organizationsOf(client)) {
    progress(`Verifying ${organizationId} …`);
    organizations.push({ organizationId, ...(await client.activities.verify({ organizationId })) });
  }
  const valid = organizations.every((each) => each.valid);
  const text = organizations.map(lineOf).join('\n');
  return { result: { valid, organizations }, text, isWrong: !valid };
}

function lineOf({ organizationId, valid, records, problem }: Verification): string {
  if (valid)
    return `${organizationId}: ${records} ${records === 1 ? 'record' : 'records'}, unchanged`;
  return `${organizationId}: record ${problem?.position} is ${problem?.kind} (${problem?.id ?? 'no id'}); the ${records} before it are unchanged`;
}
