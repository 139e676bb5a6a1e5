import type { Command } from 'commander';
import { type Config, readConfig, variableNames } from '../config.ts';
import { reasonOf } from '../platform/start-error.ts';
import { type Finding, problem, runChecks } from './doctor/check.ts';
import { checkDatabase } from './doctor/check-database.ts';
import { checkDisk } from './doctor/check-disk.ts';
import { checkOutbound, checkRedis } from './doctor/check-network.ts';
import { checkNames, checkSettings } from './doctor/check-settings.ts';
import { printResult, progress } from './report.ts';
import { withDatabaseUrl } from './with-database.ts';

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'Check settings, database, Redis, disk, clock, key and network; exits with 1 for a problem',
    )
    .option('--json', 'print the findings as JSON')
    .action(examine);
}

async function examine(options: { json?: boolean }): Promise<void> {
  const findings = await findAll();
  const isHealthy = findings.every(({ state }) => state !== 'problem');
  printResult({ healthy: isHealthy, findings }, options, findings.map(lineOf).join('\n'));
  if (!isHealthy) process.exitCode = 1;
}

async function findAll(): Promise<Finding[]> {
  const names = checkNames(variableNames());
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    const remedy = 'Correct them: the README lists every setting.';
    return [...names, problem('settings', reasonOf(error), remedy)];
  }
  progress('Looking at the database and the network …');
  const found = await runChecks([
    { about: 'disk', remedy: 'Check DATA_DIR.', run: () => checkDisk(config) },
    {
      about: 'database',
      remedy: 'Check DATABASE_URL and DATA_DIR.',
      run: () => withDatabaseUrl(config, (url) => checkDatabase(config, url)),
    },
    { about: 'redis', remedy: 'Check REDIS_URL.', run: () => checkRedis(config) },
    { about: 'outbound', remedy: 'Check the network.', run: () => checkOutbound(config) },
  ]);
  return [...names, ...checkSettings(config), ...found];
}

const MARKS = { fine: 'ok     ', warning: 'warning', problem: 'PROBLEM' };

const lineOf = ({ about, state, message, remedy }: Finding): string =>
  `${MARKS[state]}  ${about}: ${message}${remedy ? `\n         -> ${remedy}` : ''}`;
