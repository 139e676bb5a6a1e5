import { z } from 'zod';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { getDeliveries } from './deliveries/get-deliveries.ts';
import { recoverEndpoint, resendDelivery } from './deliveries/resend-deliveries.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoints,
  updateEndpoint,
} from './endpoints/endpoints.ts';
import { getSecret, rotateSecret } from './endpoints/secrets.ts';
import {
  CreateEndpoint,
  DeliveryId,
  deliveryPage,
  EndpointId,
  endpoint,
  endpointPage,
  endpointSecret,
  GetDeliveries,
  GetEndpoints,
  RecoverEndpoint,
  UpdateEndpoint,
} from './schema.ts';

const endpointId = '2mSx9LqKd0Tg5Wv8ZbYc';
const deliveryId = `${endpointId}.mk0x1c0w.4fTq8bV1nXcL0sKzR7Wd`;
const errors = ['FAILED_PRECONDITION' as const];

const example = {
  id: endpointId,
  url: 'https://hooks.example.com/collaboration',
  description: 'Comments on the launch plan',
  filterTypes: ['comment.add', 'comment.update'],
  channels: ['document:launch-plan'],
  disabled: false,
  rateLimit: 50,
  uid: 'launch-comments',
  metadata: { team: 'launch' },
  createdAt: '2026-01-05T09:00:00.000Z',
  updatedAt: '2026-01-05T09:00:00.000Z',
};

const secret = { endpointId, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' };

export const webhookEndpointsRouter = router({
  create: apiKeyOperation({
    path: '/v2/workspace/advancedwebhook/endpoints/create',
    summary: 'Create an advanced webhook endpoint',
    description:
      'Creates an endpoint that receives every new event that its `filterTypes` and `channels` select; without them, all events. Its signing secret is returned by `endpoints/secret/get`.',
    message: 'Advanced webhook endpoint created successfully.',
    errors: [...errors, 'ALREADY_EXISTS', 'RESOURCE_EXHAUSTED'],
    example: {
      request: {
        url: example.url,
        description: example.description,
        filterTypes: example.filterTypes,
        channels: example.channels,
        rateLimit: 50,
        uid: example.uid,
        metadata: example.metadata,
      },
      response: example,
    },
  })
    .input(CreateEndpoint)
    .output(endpoint)
    .mutation(({ ctx, input }) => createEndpoint(ctx, input)),

  get: apiKeyOperation({
    path: '/v2/workspace/advancedwebhook/endpoints/get',
    summary: 'Get advanced webhook endpoints',
    description:
      'Endpoints in the order of their creation. `iterator` continues with the next page, `prevIterator` with the previous one.',
    message: 'Advanced webhook endpoints retrieved successfully.',
    errors,
    example: {
      request: { limit: 50 },
      response: { endpoints: [example], iterator: null, prevIterator: null, done: true },
    },
  })
    .input(GetEndpoints)
    .output(endpointPage)
    .query(({ ctx, input }) => getEndpoints(ctx, input)),

  update: apiKeyOperation({
    path: '/v2/workspace/advancedwebhook/endpoints/update',
    summary: 'Update an advanced webhook endpoint',
    description:
      'Changes the given fields; at least one is required. An endpoint that is enabled again receives the deliveries that were pending when it was disabled, and new events, but not those in between.',
    message: 'Advanced webhook endpoint updated successfully.',
    errors,
    example: {
      request: { endpointId, disabled: true, rateLimit: 20 },
      response: { ...example, disabled: true, rateLimit: 20 },
    },
  })
    .input(UpdateEndpoint)
    .output(endpoint)
    .mutation(({ ctx, input }) => updateEndpoint(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/workspace/advancedwebhook/endpoints/delete',
    summary: 'Delete an advanced webhook endpoint',
    description:
      'Deletes an endpoint permanently, with its secret. Pending deliveries are not sent.',
    message: 'Advanced webhook endpoint deleted successfully.',
    errors: [...errors, 'NOT_FOUND'],
    example: { request: { endpointId }, response: { endpointId, deleted: true } },
  })
    .input(EndpointId)
    .output(z.object({ endpointId: z.string(), deleted: z.literal(true) }))
    .mutation(({ ctx, input }) => deleteEndpoint(ctx, input.endpointId)),

  recover: apiKeyOperation({
    path: '/v2/workspace/advancedwebhook/endpoints/recover',
    summary: 'Resend failed deliveries',
    description:
      'Resends the deliveries that have failed since a time, at most 14 days ago, whether they were given up or are waiting for a retry.',
    message: 'Deliveries recovered successfully.',
    errors,
    example: {
      request: { endpointId, since: 1_767_603_600_000 },
      response: { recovered: 12 },
    },
  })
    .input(RecoverEndpoint)
    .output(z.object({ recovered: z.number().int() }))
    .mutation(({ ctx, input }) => recoverEndpoint(ctx, input)),

  secret: router({
    get: apiKeyOperation({
      path: '/v2/workspace/advancedwebhook/endpoints/secret/get',
      summary: 'Get the signing secret of an endpoint',
      description: 'The secret with which deliveries to the endpoint are signed.',
      message: 'Advanced webhook endpoint secret retrieved successfully.',
      givesSecrets: true,
      errors,
      example: { request: { endpointId }, response: secret },
    })
      .input(EndpointId)
      .output(endpointSecret)
      .query(({ ctx, input }) => getSecret(ctx, input.endpointId)),

    rotate: apiKeyOperation({
      path: '/v2/workspace/advancedwebhook/endpoints/secret/rotate',
      summary: 'Rotate the signing secret of an endpoint',
      description:
        'The previous secret continues to sign for 24 hours, in addition to the new one.',
      message: 'Advanced webhook endpoint secret rotated successfully.',
      givesSecrets: true,
      errors: [...errors, 'RESOURCE_EXHAUSTED'],
      example: { request: { endpointId }, response: secret },
    })
      .input(EndpointId)
      .output(endpointSecret)
      .mutation(({ ctx, input }) => rotateSecret(ctx, input.endpointId)),
  }),
});

export const webhookDeliveriesRouter = router({
  get: apiKeyOperation({
    path: '/v2/workspace/advancedwebhook/deliveries/get',
    summary: 'Get webhook deliveries',
    description:
      'Deliveries, newest first, with every attempt and its response. Deliveries of basic webhooks are returned if `endpointId` is `basic-raw` or `basic-processed`.',
    message: 'Webhook deliveries retrieved successfully.',
    fromReplica: true,
    errors,
    example: {
      request: { endpointId, status: 'failed', limit: 50 },
      response: {
        deliveries: [
          {
            id: deliveryId,
            endpointId,
            eventId: '4fTq8bV1nXcL0sKzR7Wd',
            eventType: 'comment.add',
            status: 'failed',
            nextAttemptAt: null,
            attempts: [
              {
                at: 1_767_603_600_000,
                statusCode: 503,
                latencyMs: 41,
                error: 'The endpoint responded with 503.',
                excerpt: 'Service unavailable',
              },
            ],
          },
        ],
        iterator: null,
        done: true,
      },
    },
  })
    .input(GetDeliveries)
    .output(deliveryPage)
    .query(({ ctx, input }) => getDeliveries(ctx, input)),

  resend: apiKeyOperation({
    path: '/v2/workspace/advancedwebhook/deliveries/resend',
    summary: 'Send a delivery again',
    description:
      'Sends a delivery again, regardless of its status and the current filters. If it fails, it is retried like a new one.',
    message: 'Webhook delivery will be sent again.',
    errors: [...errors, 'NOT_FOUND'],
    example: { request: { deliveryId }, response: { deliveryId } },
  })
    .input(DeliveryId)
    .output(DeliveryId)
    .mutation(({ ctx, input }) => resendDelivery(ctx, input.deliveryId)),
});
