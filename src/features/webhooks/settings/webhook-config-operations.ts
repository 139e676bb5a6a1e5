import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { UpdateWebhookConfig, webhookConfig } from './schema.ts';
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
    description: 'The URLs of the basic webhooks, with secrets in them masked.',
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
    description: 'Changes the fields that are given, at least one. An empty text clears a field.',
    message: 'Webhook config updated successfully.',
    givesSecrets: true,
    example: { request: response, response },
  })
    .input(UpdateWebhookConfig)
    .output(webhookConfig)
    .mutation(({ ctx, input }) => updateWebhookConfig(ctx, input)),
});
