import { z } from 'zod';
import {
  atLeastOneOf,
  webhookFields,
  webhookServiceConfig,
} from '../../settings/service-config.ts';

export const webhookConfig = z
  .object({
    useWebhookService: z.boolean(),
    webhookServiceConfig: z.object(webhookFields),
  })
  .meta({ id: 'WebhookConfig' });
export type WebhookConfig = z.infer<typeof webhookConfig>;

export const UpdateWebhookConfig = atLeastOneOf({
  useWebhookService: z.boolean().optional(),
  webhookServiceConfig: webhookServiceConfig.optional(),
});
export type UpdateWebhookConfigInput = z.infer<typeof UpdateWebhookConfig>;

export const advancedWebhookConfig = z
  .object({ isEnabled: z.boolean() })
  .meta({ id: 'AdvancedWebhookConfig' });
export type AdvancedWebhookConfig = z.infer<typeof advancedWebhookConfig>;
