import { z } from 'zod';
import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { addDomains, deleteDomains, getDomains } from './domains.ts';
import { Domains } from './schema.ts';

const domains = z.array(z.string());

export const domainsRouter = router({
  get: apiKeyOperation({
    path: '/v2/workspace/domains/get',
    summary: 'Get the allowed domains',
    message: 'Domain(s) retrieved successfully.',
    example: { request: {}, response: { allowedDomains: ['example.com', '*.example.org'] } },
  })
    .input(noInput)
    .output(z.object({ allowedDomains: domains }))
    .query(({ ctx }) => getDomains(ctx)),

  add: apiKeyOperation({
    path: '/v2/workspace/domains/add',
    changesCredentials: true,
    summary: 'Add allowed domains',
    description:
      'Takes domains and URLs, and wildcards such as `*.example.com`. When some are there already, the answer is the failure INTERNAL, whose details name the domains that were added and those that were skipped.',
    message: 'Domain(s) added successfully.',
    errors: ['INTERNAL'],
    example: {
      request: { domains: ['https://www.example.com/app', '*.example.org'] },
      response: { domainsAdded: ['example.com', '*.example.org'] },
    },
  })
    .input(Domains)
    .output(z.object({ domainsAdded: domains }))
    .mutation(({ ctx, input }) => addDomains(ctx, input.domains)),

  delete: apiKeyOperation({
    path: '/v2/workspace/domains/delete',
    changesCredentials: true,
    summary: 'Delete allowed domains',
    description:
      'When some are not there, the answer is the failure INTERNAL, whose details name the domains that were removed and those that were skipped. A key without any domain may be used from everywhere.',
    message: 'Domain(s) removed successfully.',
    errors: ['INTERNAL'],
    example: {
      request: { domains: ['example.com'] },
      response: { domainsRemoved: ['example.com'] },
    },
  })
    .input(Domains)
    .output(z.object({ domainsRemoved: domains }))
    .mutation(({ ctx, input }) => deleteDomains(ctx, input.domains)),
});
