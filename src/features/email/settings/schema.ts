import { z } from 'zod';
import { atLeastOneOf, emailFields, emailServiceConfig } from '../../settings/service-config.ts';

export const emailConfig = z
  .object({
    useEmailService: z.boolean(),
    emailServiceConfig: z.object(emailFields),
  })
  .meta({ id: 'EmailConfig' });
export type EmailConfig = z.infer<typeof emailConfig>;

export const UpdateEmailConfig = atLeastOneOf({
  useEmailService: z.boolean().optional(),
  emailServiceConfig: emailServiceConfig.optional(),
});
export type UpdateEmailConfigInput = z.infer<typeof UpdateEmailConfig>;
