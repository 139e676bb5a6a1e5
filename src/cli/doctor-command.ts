import type { Command } from 'commander';
import { type Config, readConfig, variableNames } from '../config.ts';
import { reasonOf } from '../platform/start-error.ts';
import { progress, setAction } from './command.ts';
import { type Finding, problem, runChecks } from './doctor/check.ts';
import { checkDatabase } from './doctor/check-database.ts';
import { checkDisk, checkFolder, checkOutbound, checkRedis } from './doctor/check-machine.ts';
import { checkNames, checkSettings } from './doctor/check-settings.ts';
import { withExistingDatabase } from './with-database.ts';

export function addDoctorCommand(program: Command): void {
  const doctorCommand = program
    .command('doctor')
    .description(
      'Check settings, database, Redis, disk, clock, key and network; exits with 1 if there is a problem',
    );
  setAction(doctorCommand, async () => {
    const findings = await runAllChecks();
    const healthy = findings.every(({ state }) => state !== 'problem');
    const text = findings.map(lineOf).join('\n');
    return { result: { healthy, findings }, text, isWrong: !healthy };
  });
}

async function runAllChecks(): Promise<Finding[]> {
  const names = checkNames(variableNames()).map((finding) => ({ about: 'settings', ...finding }));
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    const remedy = 'Correct the settings. The README lists all of them.';
    return [...names, { about: 'settings', ...problem(reasonOf(error), remedy) }];
  }
  progress('Checking the database and the network …');
  const findings = await runChecks([
    { about: 'settings', remedy: '', run: async () => checkSettings(config) },
    { about: 'disk', remedy: 'Check DATA_DIR.', run: () => checkDisk(config) },
    { about: 'disk', remedy: '', run: () => checkFolder('DATA_DIR', config.dataDir) },
    { about: 'disk', remedy: '', run: () => checkFolder('FILES_DIR', config.filesDir) },
    {
      about: 'database',
      remedy: 'Check DATABASE_URL and DATA_DIR.',
      run: () => withExistingDatabase(config, (url) => checkDatabase(config, url)),
    },
    { about: 'redis', remedy: 'Check REDIS_URL.', run: () => checkRedis(config) },
    { about: 'outbound', remedy: 'Check the network.', run: () => checkOutbound(config) },
  ]);
  return [...names, ...findings];
}

const MARKS = { fine: 'ok     ', warning: 'warning', problem: 'PROBLEM' };

const lineOf = ({ about, state, message, remedy }: Finding): string =>
  `${MARKS[state]}  ${about}: ${message}${remedy ? `\n         -> ${remedy}` : ''}`;
