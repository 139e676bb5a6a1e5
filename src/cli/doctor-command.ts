import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { StartError } from '../platform/start-error.ts';
import { type Finding, problem } from './doctor/check.ts';
import { checkDatabase } from './doctor/check-database.ts';
import { checkDisk } from './doctor/check-disk.ts';
import { checkOutbound, checkRedis } from './doctor/check-network.ts';
import { checkSettings } from './doctor/check-settings.ts';
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
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    return [foundProblem('settings', error, 'Correct them: the README lists every setting.')];
  }
  progress('Looking at the database …');
  const ofDatabase = await withDatabaseUrl(config, (url) => checkDatabase(config, url)).catch(
    (error) => [foundProblem('database', error, 'Check DATABASE_URL and DATA_DIR.')],
  );
  progress('Looking at the network …');
  return [
    ...checkSettings(config),
    ...(await checkDisk(config)),
    ...ofDatabase,
    ...(await checkRedis(config)),
    ...(await checkOutbound(config)),
  ];
}

/** Problems for which the start has a sentence of its own. */
function foundProblem(about: string, error: unknown, remedy: string): Finding {
  if (error instanceof StartError) return problem(about, error.message, remedy);
  throw error;
}

const MARKS = { fine: 'ok     ', warning: 'warning', problem: 'PROBLEM' };

const lineOf = ({ about, state, message, remedy }: Finding): string =>
  `${MARKS[state]}  ${about}: ${message}${remedy ? `\n         -> ${remedy}` : ''}`;
