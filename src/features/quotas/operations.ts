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
      'What the key may store, mail and spend on models in a day of UTC, and what it has used of it, up to some seconds ago. The key itself reads the same from the headers RateLimit-Policy and RateLimit of its answers.',
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
      'Sets the quotas that are given, from the next request on: 0 takes a quota away, null brings the default of the server back. What a key uses is counted from when it has a quota.',
    message: 'Quotas updated successfully.',
    errors: ['NOT_FOUND'],
    example: { request: { apiKey, storageBytes: 1_073_741_824 }, response: example },
  })
    .input(UpdateQuotas)
    .output(keyQuotas)
    .mutation(({ ctx, input }) => updateQuotas(ctx, input)),
});
