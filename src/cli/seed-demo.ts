import { createServerClient } from '../client/server.ts';
import { type Demo, type DemoTarget, openDemo } from './seed-demo/demo.ts';
import { falsifyDatabase } from './seed-demo/falsify-database.ts';
import { MAKER } from './seed-demo/people.ts';
import { ORGANIZATIONS } from './seed-demo/places.ts';
import { writeApprovals } from './seed-demo/write-approvals.ts';
import { writeContents } from './seed-demo/write-contents.ts';
import { writeAccess, writePeople, writePlaces } from './seed-demo/write-directory.ts';
import { writeFeedback } from './seed-demo/write-feedback.ts';
import { writeInboxes } from './seed-demo/write-inboxes.ts';
import { writeJudgments } from './seed-demo/write-judgments.ts';
import { writeSettings } from './seed-demo/write-settings.ts';
import { writeWebhooks } from './seed-demo/write-webhooks.ts';

const ANNOTATIONS = 2_000;

export interface SeedOptions extends DemoTarget {
  /** Where the server keeps its data, for what no operation can do; without it, that is left out. */
  databaseUrl?: string | undefined;
  /** How many annotations; 2,000 without it. */
  annotations?: number;
  /** Called with each step that begins. */
  onStep?: (step: string) => void;
}

export interface SeedOutcome {
  /** Whether the demo was there before. */
  existed: boolean;
  /** Whether a record of an activity log was changed, so that its chain is broken. */
  chainBroken: boolean;
}

/**
 * Fills an API key with a believable company: three organizations, forty people, documents with live
 * content, 2,000 annotations, judgments of fourteen months, notifications and webhooks. All of it by
 * public operations, and the same in every run. A run that was interrupted is continued by the next.
 *
 * @throws CollaborationError when an operation fails
 */
export async function seedDemo(options: SeedOptions): Promise<SeedOutcome> {
  const { databaseUrl, annotations = ANNOTATIONS, onStep = () => {}, ...target } = options;
  const before = await findDemo(target);
  if (before?.demo === COMPLETE.demo) return { existed: true, chainBroken: false };
  const demo = openDemo(target, { isContinued: before !== undefined, annotations });
  onStep('webhook endpoints');
  await writeSettings(demo);
  await using receiver = await writeWebhooks(demo);
  for (const [name, write] of STEPS) {
    onStep(name);
    await write(demo);
  }
  onStep('webhook deliveries');
  await receiver.settle();
  const chainBroken = databaseUrl ? await falsifyDatabase(databaseUrl, target.apiKey) : false;
  await markComplete(demo);
  return { existed: false, chainBroken };
}

/** Judgments come early: alerts about them are computed within a minute of the first one. */
const STEPS: Array<[name: string, write: (demo: Demo) => Promise<void>]> = [
  ['organizations, folders and documents', writePlaces],
  ['people and groups', writePeople],
  ['access', writeAccess],
  ['judgments of fourteen months', writeJudgments],
  ['contents of documents', writeContents],
  ['annotations', writeFeedback],
  ['approvals', writeApprovals],
  ['notifications, recordings and presence', writeInboxes],
];

/** The field of the organizations that says that they are the demo's. */
const COMPLETE = { demo: 'complete' };

async function findDemo(target: DemoTarget) {
  const organizationIds = [MAKER];
  const { data } = await createServerClient(target).organizations.get({ organizationIds });
  return data[0];
}

async function markComplete({ client }: Demo): Promise<void> {
  const organizations = ORGANIZATIONS.map((one) => ({ ...one, ...COMPLETE }));
  await client.organizations.update({ organizations });
}
