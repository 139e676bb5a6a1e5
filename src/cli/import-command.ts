import { type Command, Option } from 'commander';
import { readConfig } from '../config.ts';
import { importVelt } from './import-velt/import-velt.ts';
import { reportText } from './import-velt/tally.ts';
import { printResult } from './report.ts';
import { type KeyOptions, keyTargetOf, withKeyOptions } from './target.ts';

interface Options extends KeyOptions {
  from: string;
  fromApiKey: string;
  fromAuthToken: string;
  progress: string;
  dryRun?: boolean;
}

/** @param importing the command `import` */
export function addImportVelt(importing: Command): void {
  const command = importing
    .command('velt')
    .description('Import all that an API key of the hosted service can read; may be repeated')
    .option('--from <url>', 'the hosted service', 'https://api.velt.dev')
    .addOption(
      new Option('--from-api-key <key>', 'its API key').env('VELT_API_KEY').makeOptionMandatory(),
    )
    .addOption(
      new Option('--from-auth-token <token>', 'the auth token of that key')
        .env('VELT_AUTH_TOKEN')
        .makeOptionMandatory(),
    )
    .option('--progress <file>', 'remembers what is done until all is', 'import-velt.json')
    .option('--dry-run', 'only read and count');
  withKeyOptions(command).action(runImport);
}

async function runImport({ from, fromApiKey, fromAuthToken, progress, dryRun, ...key }: Options) {
  const report = await importVelt({
    from: { url: from, apiKey: fromApiKey, authToken: fromAuthToken },
    to: keyTargetOf(key),
    isDryRun: dryRun === true,
    progressFile: progress,
    allowedNetworks: readConfig().outboundAllowedNetworks,
  });
  printResult(report, key, reportText(report));
}
