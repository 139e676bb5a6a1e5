import { activityConfigRouter } from './operations/activity-config.ts';
import { advancedWebhookConfigRouter } from './operations/advanced-webhook-config.ts';
import { apiKeyConfigRouter } from './operations/api-key-config.ts';
import { domainsRouter } from './operations/domains.ts';
import { emailConfigRouter } from './operations/email-config.ts';
import { notificationConfigRouter } from './operations/notification-config.ts';
import { webhookConfigRouter } from './operations/webhook-config.ts';

/** What a key and its services are set to, one router a subject. */
export const settingsRouters = {
  apiKeyConfig: apiKeyConfigRouter,
  domains: domainsRouter,
  emailConfig: emailConfigRouter,
  webhookConfig: webhookConfigRouter,
  activityConfig: activityConfigRouter,
  notificationConfig: notificationConfigRouter,
  advancedWebhookConfig: advancedWebhookConfigRouter,
};
