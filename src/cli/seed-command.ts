import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { runningEmbeddedUrl } from '../platform/database/embedded-postgres/running.ts';
import { printResult, progress } from './report.ts';
import { seedDemo } from './seed-demo.ts';
import { type KeyOptions, keyTargetOf, withKeyOptions } from './target.ts';

interface Options extends KeyOptions {
  annotations?: string;
  breakChain?: boolean;
}

export function addSeedCommand(program: Command): void {
  withKeyOptions(
    program
      .command('seed')
      .description('Fill a running server with a demo: a company with 2,000 annotations')
      .option('--annotations <number>', 'another number of them')
      .option('--break-chain', 'also forge an activity record and end deliveries in the database'),
  )
    .addHelpText('after', '\nThe settings of the API key are changed, too: use one for trials.')
    .action(seed);
}

async function seed(options: Options): Promise<void> {
  const config = readConfig();
  const target = keyTargetOf(options);
  const databaseUrl = options.breakChain
    ? (config.databaseUrl ?? runningEmbeddedUrl(config.dataDir))
    : undefined;
  const startedAt = Date.now();
  const outcome = await seedDemo({
    ...target,
    databaseUrl,
    ...(options.annotations && { annotations: Number(options.annotations) }),
    onStep: (step) => progress(`Writing ${step} …`),
  });
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const { url, apiKey } = target;
  printResult({ url, apiKey, ...outcome, seconds }, options, textOf(outcome));
}

function textOf({ existed, chainBroken }: { existed: boolean; chainBroken: boolean }): string {
  if (existed) return 'The demo is there already.';
  const chain = chainBroken
    ? 'The activity log of meridian-instruments holds a forged record.'
    : 'No record was forged: without --break-chain or a reachable database, all chains are intact.';
  return `The demo is ready. Alerts appear within a minute. ${chain}`;
}
