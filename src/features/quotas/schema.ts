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
    .meta({ description: `${subject}. 0: no quota; null: the default of the server's settings.` });

export const GetQuotas = z.object({ apiKey: id });

export const UpdateQuotas = z
  .object({
    apiKey: id,
    storageBytes: limit('Bytes of content that the key may store'),
    mailsPerDay: limit('Mails that are sent for the key per UTC day'),
    modelTokensPerDay: limit('Tokens that models may use for the key per UTC day'),
  })
  .refine(({ apiKey: _, ...quotas }) => Object.values(quotas).some((one) => one !== undefined), {
    message: 'must give at least one of storageBytes, mailsPerDay, modelTokensPerDay',
  });
export type UpdateQuotasInput = z.infer<typeof UpdateQuotas>;

const quota = z
  .object({
    limit: z.number().nullable().meta({ description: 'The effective quota. Null: no quota.' }),
    isDefault: z
      .boolean()
      .meta({ description: "Whether it is the default of the server's settings." }),
    used: z.number().nullable().meta({
      description: 'Null where there is no quota, since nothing is counted then.',
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
