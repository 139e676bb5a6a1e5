import { z } from 'zod';
import { normalizeDomain } from '../../api/allowed-domains.ts';
import { email, id, name, pageSizeUpTo, pageToken, text } from '../../api/fields.ts';
import { isStorableText } from '../../platform/json.ts';
import { PERSISTENCE_REGIONS, REALTIME_REGIONS } from './regions.ts';

const url = z
  .union([
    z.literal(''),
    z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .refine(isStorableText),
  ])
  .meta({ description: 'An http(s) URL, or empty for none.' });

/** Specification 2.3. */
export const emailServiceConfig = z.object({
  type: z.enum(['default', 'external']).optional(),
  apiKey: text(1000).optional(),
  fromEmail: z.union([z.literal(''), email]).optional(),
  fromCompany: name.optional(),
  commentTemplateId: name.optional(),
  tagTemplateId: name.optional(),
});

/** Specification 2.4. */
export const webhookServiceConfig = z.object({
  authToken: text(1000).optional(),
  rawNotificationUrl: url.optional(),
  processedNotificationUrl: url.optional(),
});

export const domain = z
  .string()
  .max(2048)
  .refine((text) => normalizeDomain(text) !== undefined, 'must be a domain or a URL')
  .transform((text) => normalizeDomain(text) ?? text);

/** Specification 4.1. */
export const CreateApiKey = z
  .object({
    ownerEmail: email,
    type: z.enum(['testing', 'production']),
    persistenceDBRegion: z.enum(PERSISTENCE_REGIONS, 'is no supported region').optional(),
    realtimeDBRegion: z.enum(REALTIME_REGIONS, 'is no supported region').optional(),
    createAuthToken: z.boolean().default(false),
    apiKeyName: name.default(''),
    allowedDomains: z.array(domain).max(1000).default([]),
    addLocalHostToAllowedDomains: z.boolean().default(false),
    useEmailService: z.boolean().default(false),
    useWebhookService: z.boolean().default(false),
    useNotificationService: z.boolean().default(false),
    setDefaultNotificationTriggers: z.boolean().default(false),
    setDefaultEmailTriggers: z.boolean().default(false),
    requireAutoOrgUser: z.boolean().default(false),
    enablePrivateComments: z.boolean().default(false),
    emailServiceConfig: emailServiceConfig.default({}),
    webhookServiceConfig: webhookServiceConfig.default({}),
  })
  .refine((input) => input.type === 'production' || input.persistenceDBRegion === undefined, {
    path: ['persistenceDBRegion'],
    message: 'is only for production keys',
  });
export type CreateApiKeyInput = z.infer<typeof CreateApiKey>;

export const GetApiKeys = z.object({
  apiKeys: z.array(id).max(1000).optional(),
  pageSize: pageSizeUpTo(100),
  pageToken,
});
export type GetApiKeysInput = z.infer<typeof GetApiKeys>;

export const keySummary = z.object({ id: z.string(), apiKeyName: z.string(), type: z.string() });

export const apiKeyPage = z.object({
  data: z.array(keySummary),
  nextPageToken: z.string().optional(),
});

export const OneApiKey = z.object({ apiKey: id });

export const authToken = z.object({
  token: z.string(),
  name: z.string(),
  domains: z.array(z.string()),
});
export type PresentedAuthToken = z.infer<typeof authToken>;
