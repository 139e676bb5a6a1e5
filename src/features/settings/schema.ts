import { z } from 'zod';
import { normalizeDomain } from '../../api/allowed-domains.ts';
import { accessRole, accessType, email, name } from '../../api/fields.ts';
import { isStorableText } from '../../platform/json.ts';
import { triggers } from './triggers.ts';

const url = z
  .union([
    z.literal(''),
    z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .refine(isStorableText),
  ])
  .meta({ description: 'An http(s) URL, or empty for none.' });

/** What travels in headers, of requests or of e-mails: no line break may start another one. */
const headerText = name.refine(
  (text) => !/\p{Cc}/u.test(text),
  'must not contain control characters',
);

const secret = headerText.meta({ description: 'A secret; empty for none.' });

/** An update that names nothing to change is a mistake, e.g. a field in the wrong place. */
function update<Shape extends z.ZodRawShape>(shape: Shape) {
  const fields = Object.keys(shape).join(', ');
  return z.object(shape).refine(saysSomething, `must give at least one field of ${fields}`);
}

const saysSomething = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.values(value).some(saysSomething)
    : value !== undefined;

const emailFields = {
  type: z.enum(['default', 'external']),
  apiKey: secret,
  fromEmail: z.union([z.literal(''), email]),
  fromCompany: headerText,
  commentTemplateId: name,
  tagTemplateId: name,
};

/** Specification 2.3. */
export const emailServiceConfig = z.object(emailFields).partial();
export type EmailServiceConfigInput = z.infer<typeof emailServiceConfig>;

export const emailConfig = z.object({
  useEmailService: z.boolean(),
  emailServiceConfig: z.object(emailFields),
});
export type EmailConfig = z.infer<typeof emailConfig>;

export const UpdateEmailConfig = update({
  useEmailService: z.boolean().optional(),
  emailServiceConfig: emailServiceConfig.optional(),
});
export type UpdateEmailConfigInput = z.infer<typeof UpdateEmailConfig>;

const webhookFields = {
  authToken: secret,
  rawNotificationUrl: url,
  processedNotificationUrl: url,
};

/** Specification 2.4. */
export const webhookServiceConfig = z.object(webhookFields).partial();
export type WebhookServiceConfigInput = z.infer<typeof webhookServiceConfig>;

export const webhookConfig = z.object({
  useWebhookService: z.boolean(),
  webhookServiceConfig: z.object(webhookFields),
});
export type WebhookConfig = z.infer<typeof webhookConfig>;

export const UpdateWebhookConfig = update({
  useWebhookService: z.boolean().optional(),
  webhookServiceConfig: webhookServiceConfig.optional(),
});
export type UpdateWebhookConfigInput = z.infer<typeof UpdateWebhookConfig>;

/** Specification 2.5. */
const activityServiceConfig = z.object({
  isEnabled: z.boolean(),
  immutable: z.boolean().optional(),
  triggers: triggers.optional(),
});
export type ActivityServiceConfig = z.infer<typeof activityServiceConfig>;

export const activityConfig = z.object({ activityServiceConfig });
export type ActivityConfig = z.infer<typeof activityConfig>;

export const UpdateActivityConfig = z.object({
  activityServiceConfig: update(activityServiceConfig.partial().shape),
});
export type UpdateActivityConfigInput = z.infer<typeof UpdateActivityConfig>;

const whole = (min: number, max: number, unit: string) =>
  z
    .number()
    .int()
    .min(min, `must be at least ${min} ${unit}`)
    .max(max, `must be at most ${max} ${unit}`);

const DAY_SECONDS = 86_400;

/** How long a notification waits, in which it can still be read or withdrawn. */
const delay = z.object({
  isEnabled: z.boolean(),
  delaySeconds: whole(10, 180 * DAY_SECONDS, 'seconds'),
});

/** Notifications to one user are put together: for so long, or until there are so many. */
const batching = z.object({
  isEnabled: z.boolean(),
  windowSeconds: whole(10, 7 * DAY_SECONDS, 'seconds'),
  maxNotifications: whole(2, 50, 'notifications'),
});

export const notificationConfig = z.object({
  useNotificationService: z.boolean(),
  triggers,
  delay,
  batching,
});
export type NotificationConfig = z.infer<typeof notificationConfig>;

export const UpdateNotificationConfig = update({
  useNotificationService: z.boolean().optional(),
  triggers: triggers.optional(),
  delay: delay.partial().optional(),
  batching: batching.partial().optional(),
});
export type UpdateNotificationConfigInput = z.infer<typeof UpdateNotificationConfig>;

export const advancedWebhookConfig = z.object({ isEnabled: z.boolean() });
export type AdvancedWebhookConfig = z.infer<typeof advancedWebhookConfig>;

const provider = z.enum(['openai', 'anthropic', 'gemini']);
export type ModelProvider = z.infer<typeof provider>;

const providerKey = z.object({
  provider,
  customerApiKey: z
    .string()
    .max(1000, 'must have at most 1000 characters')
    .regex(/^[\x21-\x7e]*$/, 'must consist of visible ASCII characters')
    .meta({ description: 'A secret, shown masked; empty takes the key away.' }),
});
export type ProviderKeyInput = z.infer<typeof providerKey>;

export const allowUserRewrites = z.boolean().meta({
  description:
    "Lets user tokens call rewriter.stream, which is paid for with the workspace's keys of model providers.",
});

const keyFields = {
  enablePrivateComments: z.boolean(),
  requireAutoOrgUser: z.boolean(),
  defaultDocumentAccessType: accessType.meta({
    description: 'Of documents that are added without a type and outside folders.',
  }),
  defaultAccessRole: accessRole.meta({
    description: 'Of users who are added, or given permissions, without a role.',
  }),
  advancedQueries: z.boolean(),
  allowUserRewrites,
};

export const apiKeyConfig = z.object({
  ...keyFields,
  aiModelApiKey: z.array(z.object({ provider, customerApiKey: z.string() })),
});
export type ApiKeyConfig = z.infer<typeof apiKeyConfig>;

export const UpdateApiKeyConfig = update({
  ...z.object(keyFields).partial().shape,
  aiModelApiKey: z.array(providerKey).min(1, 'must not be empty').max(100).optional(),
});
export type UpdateApiKeyConfigInput = z.infer<typeof UpdateApiKeyConfig>;

export const domain = z
  .string()
  .max(2048)
  .refine((text) => normalizeDomain(text) !== undefined, 'must be a domain or a URL')
  .transform((text) => normalizeDomain(text) ?? text);

/** Specification 4.20. */
export const Domains = z.object({
  domains: z.array(domain).min(1, 'must not be empty').max(100, 'must have at most 100 entries'),
});
