import { noInput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { getEmailConfig, updateEmailConfig } from './email-config.ts';
import { emailConfig, UpdateEmailConfig } from './schema.ts';

const response = {
  useEmailService: true,
  emailServiceConfig: {
    type: 'external',
    apiKey: 'SG.4mY…',
    fromEmail: 'team@example.com',
    fromCompany: 'Acme',
    commentTemplateId: 'd-comment',
    tagTemplateId: '',
  },
};

export const emailConfigRouter = router({
  get: apiKeyOperation({
    path: '/v2/workspace/emailconfig/get',
    summary: 'Get the email service configuration',
    description: 'The service that sends emails, and their sender.',
    message: 'Email config retrieved successfully.',
    givesSecrets: true,
    example: { request: {}, response },
  })
    .input(noInput)
    .output(emailConfig)
    .query(({ ctx }) => getEmailConfig(ctx)),

  update: apiKeyOperation({
    path: '/v2/workspace/emailconfig/update',
    summary: 'Update the email service configuration',
    description:
      'Changes the given fields; at least one must be given. An empty string clears a field. A key without email triggers gets all comment triggers when it starts to use the service.',
    message: 'Email config updated successfully.',
    givesSecrets: true,
    example: {
      request: {
        useEmailService: true,
        emailServiceConfig: { type: 'external', apiKey: 'SG.4mY…', fromEmail: 'team@example.com' },
      },
      response,
    },
  })
    .input(UpdateEmailConfig)
    .output(emailConfig)
    .mutation(({ ctx, input }) => updateEmailConfig(ctx, input)),
});
