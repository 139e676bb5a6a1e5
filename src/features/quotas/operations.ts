import { adminOperation, router } from '../../api/procedures.ts';
import { getQuotas, updateQuotas } from './key-quotas.ts';
import { GetQuotas, keyQuotas, type PresentedQuotas, UpdateQuotas } from './schema.ts';

const apiKey = 'kJ3v9QmT2xLw8RbN5sYd';
const example: PresentedQuotas = {
  apiKey,
  storageBytes: { limit: 1_073_741_824, isDefault: false, used: 52_428_800 },
  mailsPerDay: { limit: 1_000, isDefault: true, used: 12 },
  modelTokensPerDay: { limit: null, isDefault: true, used: null },
};

export const quotasRouter = router({
  get: adminOperation({
    path: '/v2/workspace/apikey/quotas/get',
    summary: 'Get the quotas of an API key',
    description:
      'The quotas of a key for storage, and for emails and model tokens per UTC day, with its usage as of a few seconds ago. The key itself receives them in the response headers RateLimit-Policy and RateLimit.',
    message: 'Quotas retrieved successfully.',
    errors: ['NOT_FOUND'],
    example: { request: { apiKey }, response: example },
  })
    .input(GetQuotas)
    .output(keyQuotas)
    .query(({ ctx, input }) => getQuotas(ctx, input.apiKey)),

  update: adminOperation({
    path: '/v2/workspace/apikey/quotas/update',
    changesCredentials: true,
    summary: 'Update the quotas of an API key',
    description:
      "Sets the given quotas from the next request on: 0 removes a quota, null restores the server's default. Usage is counted only while a key has a quota.",
    message: 'Quotas updated successfully.',
    errors: ['NOT_FOUND'],
    example: { request: { apiKey, storageBytes: 1_073_741_824 }, response: example },
  })
    .input(UpdateQuotas)
    .output(keyQuotas)
    .mutation(({ ctx, input }) => updateQuotas(ctx, input)),
});
