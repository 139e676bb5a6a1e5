import type { Demo } from './demo.ts';

const EVERY_TRIGGER = [
  ...['newlyAdded', 'added', 'updated', 'deleted', 'approved', 'assigned', 'reactionAdded'],
  ...['reactionDeleted', 'statusChanged', 'priorityChanged', 'accessModeChanged', 'accepted'],
  ...['rejected', 'suggestionAccepted', 'suggestionRejected', 'customListChanged', 'subscribed'],
  'unsubscribed',
];

/** Alerts of one week; the default of three would leave some for the next one. */
const ALERTS_A_WEEK = 10;

/** Turns on what the demo shows: private comments, notifications, activity logs and webhooks. */
export async function writeSettings({ client }: Demo): Promise<void> {
  const comment = Object.fromEntries(EVERY_TRIGGER.map((trigger) => [trigger, true]));
  await client.apiKeyConfig.update({ enablePrivateComments: true, advancedQueries: true });
  await client.notificationConfig.update({ useNotificationService: true, triggers: { comment } });
  const everything = { add: true, update: true, delete: true };
  await client.activityConfig.update({
    activityServiceConfig: {
      isEnabled: true,
      immutable: true,
      triggers: { comment, document: { ...everything, move: true }, permission: { add: true } },
    },
  });
  await client.advancedWebhookConfig.update({ isEnabled: true });
  await client.memory.alerts.config.update({ maxAlertsPerWeek: ALERTS_A_WEEK });
}
