import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import {
  getAdvancedWebhookConfig,
  updateAdvancedWebhookConfig,
} from './advanced-webhook-config.ts';
import { advancedWebhookConfig } from './schema.ts';

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
