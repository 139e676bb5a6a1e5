import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import {
  getAdvancedWebhookConfig,
  updateAdvancedWebhookConfig,
} from './advanced-webhook-config.ts';
import { advancedWebhookConfig, UpdateWebhookConfig, webhookConfig } from './schema.ts';
import { getWebhookConfig, updateWebhookConfig } from './webhook-config.ts';

const response = {
  useWebhookService: true,
  webhookServiceConfig: {
    authToken: 'dGhpcyBpcyBvdXJz',
    rawNotificationUrl: 'https://hooks.example.com/raw',
    processedNotificationUrl: '',
  },
};

export const webhookConfigRouter = router({
  get: apiKeyOperation({
    path: '/v2/workspace/webhookconfig/get',
    summary: 'Get the basic webhook configuration',
    description: 'The URLs of the basic webhooks. Secrets in the URLs are masked.',
    message: 'Webhook config retrieved successfully.',
    givesSecrets: true,
    example: { request: {}, response },
  })
    .input(noInput)
    .output(webhookConfig)
    .query(({ ctx }) => getWebhookConfig(ctx)),

  update: apiKeyOperation({
    path: '/v2/workspace/webhookconfig/update',
    summary: 'Update the basic webhook configuration',
    description:
      'Changes the fields that are given; at least one is required. An empty text clears a field.',
    message: 'Webhook config updated successfully.',
    givesSecrets: true,
    example: { request: response, response },
  })
    .input(UpdateWebhookConfig)
    .output(webhookConfig)
    .mutation(({ ctx, input }) => updateWebhookConfig(ctx, input)),
});

export const advancedWebhookConfigRouter = router({
  get: apiKeyOperation({
    path: '/v2/workspace/advancedwebhookconfig/get',
    summary: 'Get whether advanced webhooks are enabled',
    description: 'Advanced webhooks are signed, retried, and filtered by endpoint.',
    message: 'Advanced webhook config retrieved successfully.',
    example: { request: {}, response: { isEnabled: false } },
  })
    .input(noInput)
    .output(advancedWebhookConfig)
    .query(({ ctx }) => getAdvancedWebhookConfig(ctx)),

  update: apiKeyOperation({
    path: '/v2/workspace/advancedwebhookconfig/update',
    summary: 'Enable or disable advanced webhooks',
    description: 'Turns the signed deliveries to the endpoints of the key on or off.',
    message: 'Advanced webhook config updated successfully.',
    example: { request: { isEnabled: true }, response: { isEnabled: true } },
  })
    .input(advancedWebhookConfig)
    .output(advancedWebhookConfig)
    .mutation(({ ctx, input }) => updateAdvancedWebhookConfig(ctx, input)),
});
