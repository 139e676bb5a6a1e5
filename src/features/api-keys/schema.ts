import { z } from 'zod';
import { email, id, name, pageSizeUpTo, pageToken } from '../../api/fields.ts';
import { page } from '../../api/paging.ts';
import { emailServiceConfig, webhookServiceConfig } from '../settings/service-config.ts';
import { PERSISTENCE_REGIONS, REALTIME_REGIONS } from './regions.ts';
import { allowUserRewrites, domain } from './settings/schema.ts';

const UNKNOWN_REGION = 'must be a supported region, such as us-central1 or europe-west1';

/** The input that creates an API key (specification 4.1). */
export const CreateApiKey = z
  .object({
    ownerEmail: email,
    type: z.enum(['testing', 'production']),
    persistenceDBRegion: z.enum(PERSISTENCE_REGIONS, UNKNOWN_REGION).optional(),
    realtimeDBRegion: z.enum(REALTIME_REGIONS, UNKNOWN_REGION).optional(),
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
    allowUserRewrites: allowUserRewrites.default(false),
    emailServiceConfig: emailServiceConfig.default({}),
    webhookServiceConfig: webhookServiceConfig.default({}),
  })
  .refine((input) => input.type === 'production' || input.persistenceDBRegion === undefined, {
    path: ['persistenceDBRegion'],
    message: 'can only be given for production keys',
  });
export type CreateApiKeyInput = z.infer<typeof CreateApiKey>;

export const GetApiKeys = z.object({
  apiKeys: z.array(id).max(1000).optional(),
  pageSize: pageSizeUpTo(100),
  pageToken,
});
export type GetApiKeysInput = z.infer<typeof GetApiKeys>;

export const keySummary = z
  .object({
    id: z.string(),
    apiKeyName: z.string(),
    type: z.string(),
    disabled: z
      .literal(true)
      .optional()
      .meta({ description: 'Present while the key is disabled.' }),
  })
  .meta({ id: 'ApiKey' });

export interface KeyRow {
  id: string;
  name: string;
  type: string;
  disabled: boolean;
}

export const presentKey = ({ id, name, type, disabled }: KeyRow): z.infer<typeof keySummary> => ({
  id,
  apiKeyName: name,
  type,
  ...(disabled && { disabled }),
});

export const apiKeyPage = page(keySummary);

export const UpdateApiKey = z
  .object({
    apiKey: id,
    apiKeyName: name.optional(),
    disabled: z.boolean().optional().meta({
      description:
        'true: every request with the key or a token of its users is refused, and open connections are closed within a second. false: the key works again, with the same tokens.',
    }),
  })
  .refine(({ apiKeyName, disabled }) => apiKeyName !== undefined || disabled !== undefined, {
    message: 'must contain apiKeyName or disabled',
  });
export type UpdateApiKeyInput = z.infer<typeof UpdateApiKey>;

export const OneApiKey = z.object({ apiKey: id });

export const authToken = z
  .object({ token: z.string(), name: z.string(), domains: z.array(z.string()) })
  .meta({ id: 'AuthToken' });
export type PresentedAuthToken = z.infer<typeof authToken>;
