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
    description: 'The domains that requests from browsers may come from.',
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
      'Accepts domains and URLs, and wildcards such as `*.example.com`. If some already exist, the call fails with INTERNAL, and the details list the added and the skipped domains.',
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
      'If some do not exist, the call fails with INTERNAL, and the details list the removed and the skipped domains. A key without any domain can be used from everywhere.',
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
