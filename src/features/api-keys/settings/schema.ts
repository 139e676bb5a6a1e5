import { z } from 'zod';
import { normalizeDomain } from '../../../api/credentials/allowed-domains.ts';
import { accessRole, accessType, commentAccess } from '../../../api/fields.ts';
import { provider, providerKey } from '../../models/schema.ts';
import { atLeastOneOf } from '../../settings/service-config.ts';

export const allowUserRewrites = z.boolean().meta({
  description:
    "Lets user tokens call rewriter.stream, for which the workspace's keys of model providers pay.",
});

export const keyFields = {
  enablePrivateComments: z.boolean(),
  requireAutoOrgUser: z.boolean(),
  defaultDocumentAccessType: accessType.meta({
    description: 'The type of documents that are added without a type and outside folders.',
  }),
  defaultAccessRole: accessRole.meta({
    description: 'The role of users who are added, or granted permissions, without a role.',
  }),
  commentAccess: commentAccess.meta({
    description:
      'Who may comment, react and suggest: only editors, or viewers too. Documents may override this.',
  }),
  advancedQueries: z.boolean(),
  allowUserRewrites,
  requireAttachmentApproval: z.boolean().meta({
    description:
      'Users can download files that users have uploaded only after an API key has approved them with attachments.complete, e.g. after a scan.',
  }),
};

export const apiKeyConfig = z
  .object({
    ...keyFields,
    aiModelApiKey: z.array(z.object({ provider, customerApiKey: z.string() })),
  })
  .meta({ id: 'ApiKeyConfig' });
export type ApiKeyConfig = z.infer<typeof apiKeyConfig>;

export const UpdateApiKeyConfig = atLeastOneOf({
  ...z.object(keyFields).partial().shape,
  aiModelApiKey: z.array(providerKey).min(1).max(100).optional(),
});
export type UpdateApiKeyConfigInput = z.infer<typeof UpdateApiKeyConfig>;

export const domain = z
  .string()
  .max(2048)
  .refine((text) => normalizeDomain(text) !== undefined, 'must be a domain or a URL')
  .transform((text) => normalizeDomain(text) ?? text);

/** The input that adds or deletes domains (specification 4.20). */
export const Domains = z.object({ domains: z.array(domain).min(1).max(100) });
