import { createServerClient } from '../../src/client/server.ts';
import { MAKER, ORGANIZATIONS } from './company.ts';
import { type Demo, type DemoTarget, openDemo } from './demo.ts';
import { falsifyDatabase } from './falsify-database.ts';
import { writeApprovals, writeContents, writeInboxes } from './write-acts.ts';
import { writeAccess, writeOrganizations, writePeople } from './write-directory.ts';
import { writeFeedback } from './write-feedback.ts';
import { writeJudgments } from './write-judgments.ts';
import { writeWebhooks } from './write-webhooks.ts';

const DEFAULT_ANNOTATIONS = 2_000;

export interface SeedOptions extends DemoTarget {
  /** The server's database, for the steps that no operation can do. Without it, they are left out. */
  databaseUrl?: string | undefined;
  /** The number of annotations; 2,000 by default. */
  annotations?: number;
  /** Called when a step begins. */
  onStep?: (step: string) => void;
}

export interface SeedOutcome {
  /** Whether the demo already existed. */
  existed: boolean;
  /** Whether a record of an activity log was changed, so that its chain is broken. */
  chainBroken: boolean;
}

/**
 * Fills an API key with a believable company: three organizations, forty people, documents with live
 * content, 2,000 annotations, judgments of fourteen months, notifications and webhooks. All data is written
 * with public operations, and is the same in every run. If a run is interrupted, the next run continues it.
 *
 * @throws CollaborationError when an operation fails
 */
export async function seedDemo(options: SeedOptions): Promise<SeedOutcome> {
  const { databaseUrl, annotations = DEFAULT_ANNOTATIONS, onStep = () => {}, ...target } = options;
  const existing = await findDemo(target);
  if (existing?.demo === COMPLETE.demo) return { existed: true, chainBroken: false };
  const demo = openDemo(target, { isContinued: existing !== undefined, annotations });
  onStep('webhook endpoints');
  await writeSettings(demo);
  await using receiver = await writeWebhooks(demo);
  for (const [name, write] of STEPS) {
    onStep(name);
    await write(demo);
  }
  onStep('webhook deliveries');
  await receiver.waitForDeliveries();
  const chainBroken = databaseUrl ? await falsifyDatabase(databaseUrl, target.apiKey) : false;
  await markComplete(demo);
  return { existed: false, chainBroken };
}

/** Judgments come early: alerts about them are computed within a minute of the first one. */
const STEPS: Array<[name: string, write: (demo: Demo) => Promise<void>]> = [
  ['organizations, folders and documents', writeOrganizations],
  ['people and groups', writePeople],
  ['access', writeAccess],
  ['judgments of fourteen months', writeJudgments],
  ['contents of documents', writeContents],
  ['annotations', writeFeedback],
  ['approvals', writeApprovals],
  ['notifications, recordings and presence', writeInboxes],
];

// biome-ignore format: with one name on each line, the list is hard to read
const EVERY_TRIGGER = [
  'newlyAdded', 'added', 'updated', 'deleted', 'approved', 'assigned', 'reactionAdded', 'reactionDeleted',
  'statusChanged', 'priorityChanged', 'accessModeChanged', 'accepted', 'rejected', 'suggestionAccepted',
  'suggestionRejected', 'customListChanged', 'subscribed', 'unsubscribed',
];

/** With the default of three, some alerts would appear only in the next week. */
const MAX_ALERTS_PER_WEEK = 10;

/** Turns on what the demo shows: private comments, notifications, activity logs and webhooks. */
async function writeSettings({ client }: Demo): Promise<void> {
  const comment = Object.fromEntries(EVERY_TRIGGER.map((trigger) => [trigger, true]));
  await client.apiKeyConfig.update({ enablePrivateComments: true, advancedQueries: true });
  await client.notificationConfig.update({ useNotificationService: true, triggers: { comment } });
  const document = { add: true, update: true, delete: true, move: true };
  const triggers = { comment, document, permission: { add: true } };
  const activityServiceConfig = { isEnabled: true, immutable: true, triggers };
  await client.activityConfig.update({ activityServiceConfig });
  await client.advancedWebhookConfig.update({ isEnabled: true });
  await client.memory.alerts.config.update({ maxAlertsPerWeek: MAX_ALERTS_PER_WEEK });
}

/** The field that organizations get once the demo has been written completely. */
const COMPLETE = { demo: 'complete' };

async function findDemo(target: DemoTarget) {
  const organizationIds = [MAKER];
  const { data } = await createServerClient(target).organizations.get({ organizationIds });
  return data[0];
}

async function markComplete({ client }: Demo): Promise<void> {
  const organizations = ORGANIZATIONS.map(({ organizationId }) => ({
    organizationId,
    ...COMPLETE,
  }));
  await client.organizations.update({ organizations });
}
