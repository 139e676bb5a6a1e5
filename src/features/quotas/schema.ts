import { z } from 'zod';
import { id } from '../../api/fields.ts';

const limit = (subject: string) =>
  z
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .nullable()
    .optional()
    .meta({
      description: `${subject}. 0 removes the quota, so that use is unlimited; null restores the server's default.`,
    });

export const GetQuotas = z.object({ apiKey: id });

export const UpdateQuotas = z
  .object({
    apiKey: id,
    storageBytes: limit('Bytes of content that the key may store'),
    mailsPerDay: limit('Emails sent for the key per UTC day'),
    modelTokensPerDay: limit('Tokens that models may use for the key per UTC day'),
  })
  .refine(({ apiKey: _, ...quotas }) => Object.values(quotas).some((one) => one !== undefined), {
    message: 'must contain at least one of storageBytes, mailsPerDay, modelTokensPerDay',
  });
export type UpdateQuotasInput = z.infer<typeof UpdateQuotas>;

const quota = z
  .object({
    limit: z
      .number()
      .nullable()
      .meta({ description: 'The quota that applies. Null if there is none.' }),
    isDefault: z
      .boolean()
      .meta({ description: "Whether `limit` comes from the server's settings." }),
    used: z.number().nullable().meta({
      description: 'Null if there is no quota: usage is not counted then.',
    }),
  })
  .meta({ id: 'Quota' });

export const keyQuotas = z
  .object({
    apiKey: z.string(),
    storageBytes: quota,
    mailsPerDay: quota,
    modelTokensPerDay: quota,
  })
  .meta({ id: 'Quotas' });
export type PresentedQuotas = z.infer<typeof keyQuotas>;
