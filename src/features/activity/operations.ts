import { outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { addActivities } from './add-activities.ts';
import { getActivities } from './get-activities.ts';
import {
  AddActivities,
  activityPage,
  ExportActivities,
  GetActivities,
  VerifyActivities,
  verification,
} from './schema.ts';
import { verifyActivities } from './verify-activities.ts';

const HASH = '5a8f1c0e9d3b7a6442c1f0e8d7b6a5943f2e1d0c9b8a7f6e5d4c3b2a19081726';

const paid = {
  featureType: 'invoice',
  actionType: 'invoice.pay',
  actionUser: { userId: 'ada', name: 'Ada' },
  data: { amount: 120 },
};

const record = {
  ...paid,
  id: 'invoice-7',
  position: 1,
  timestamp: 1_767_603_600_000,
  metadata: { apiKey: 'key', organizationId: 'acme' },
  immutable: true,
  previousHash: '0'.repeat(64),
  hash: HASH,
};

export const activitiesRouter = router({
  add: apiKeyOperation({
    path: '/v2/activities/add',
    addsContent: true,
    summary: 'Add activities',
    description: "Adds your own records to those that the key's triggers create.",
    message: 'Activities added successfully.',
    errors: ['FAILED_PRECONDITION'],
    example: {
      request: { organizationId: 'acme', activities: [{ activityId: 'invoice-7', ...paid }] },
      response: { 'invoice-7': { success: true, id: 'invoice-7', message: 'Activity added.' } },
    },
  })
    .input(AddActivities)
    .output(outcomes)
    .mutation(({ ctx, input }) => addActivities(ctx, input)),

  get: apiKeyOperation({
    path: '/v2/activities/get',
    summary: 'Get activities',
    description: 'The log of an organization, by default newest first.',
    message: 'Activities retrieved successfully.',
    envelope: 'page',
    fromReplica: true,
    example: {
      request: { organizationId: 'acme', featureTypes: ['invoice'], pageSize: 50 },
      response: [record],
    },
  })
    .input(GetActivities)
    .output(activityPage)
    .query(({ ctx, input }) => getActivities(ctx, input)),

  export: apiKeyOperation({
    path: '/v2/activities/export',
    summary: 'Export activities',
    description: 'All matching records as newline-delimited JSON, by default oldest first.',
    message: 'Activities exported.',
    envelope: 'ndjson',
    fromReplica: true,
    example: { request: { organizationId: 'acme' }, response: record },
  })
    .input(ExportActivities)
    .output(activityPage)
    .query(({ ctx, input }) => getActivities(ctx, input)),

  verify: apiKeyOperation({
    path: '/v2/activities/verify',
    summary: 'Verify activities',
    description:
      'Verifies the hash chain of an organization, and finds the first record that was changed, removed or inserted.',
    message: 'Activities verified.',
    fromReplica: true,
    example: {
      request: { organizationId: 'acme' },
      response: { valid: true, records: 1, erased: 0, hash: HASH },
    },
  })
    .input(VerifyActivities)
    .output(verification)
    .query(({ ctx, input }) => verifyActivities(ctx, input)),
});
