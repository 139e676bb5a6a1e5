import type { Command } from 'commander';
import type { ActivitiesVerifyOutput } from '../api/contract.ts';
import { type CollaborationClient, createServerClient } from '../client/server.ts';
import { printResult, progress } from './report.ts';
import { type KeyOptions, keyTargetOf, withKeyOptions } from './target.ts';

interface Options extends KeyOptions {
  organization?: string[];
}

type Verified = ActivitiesVerifyOutput & { organizationId: string };

export function addVerifyActivityCommand(program: Command): void {
  withKeyOptions(
    program
      .command('verify-activity')
      .description('Verify that no record of activity logs was changed; exits with 1 if one was')
      .option('--organization <id...>', 'only these organizations; without it, all of the key'),
  ).action(verifyActivity);
}

async function verifyActivity({ organization, ...options }: Options): Promise<void> {
  const client = createServerClient(keyTargetOf(options));
  const verified: Verified[] = [];
  for await (const organizationId of organization ?? organizationsOf(client)) {
    progress(`Verifying ${organizationId} …`);
    verified.push({ organizationId, ...(await client.activities.verify({ organizationId })) });
  }
  const isValid = verified.every(({ valid }) => valid);
  printResult(
    { valid: isValid, organizations: verified },
    options,
    verified.map(lineOf).join('\n'),
  );
  if (!isValid) process.exitCode = 1;
}

async function* organizationsOf(client: CollaborationClient): AsyncGenerator<string> {
  for await (const { data } of client.organizations.pages({})) {
    for (const { organizationId } of data) yield organizationId;
  }
}

function lineOf({ organizationId, valid, records, problem }: Verified): string {
  if (valid) return `${organizationId}: ${records} records, unchanged`;
  return `${organizationId}: record ${problem?.position} is ${problem?.kind} (${problem?.id ?? 'no id'}); the ${records} before it are unchanged`;
}
