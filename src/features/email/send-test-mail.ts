import type { KeyContext } from '../../api/context.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { MailError } from '../../platform/mail/mail.ts';
import { hostOf, sendWithService } from './deliver-mail.ts';
import { loadUsedEmailServices } from './settings/email-config.ts';

const TIMEOUT_MS = 20_000;

/**
 * Sends a short test email in the same way as the other emails of the API key, but without a template.
 *
 * @throws FAILED_PRECONDITION if the key sends no emails, or if this email was refused
 */
export async function sendTestMail(ctx: KeyContext, address: string): Promise<void> {
  const { tenantId, config, log } = ctx;
  const service = (await loadUsedEmailServices(ctx, ctx.db, [tenantId])).get(tenantId);
  if (!service) {
    throw new AppError('FAILED_PRECONDITION', 'This API key sends no emails. Turn them on first.');
  }
  const text = 'This is a test. The emails of this API key are set up.';
  const messageId = `<${newId()}@${hostOf(config.publicUrl)}>`;
  const mail = {
    to: { name: '', address },
    subject: 'Test email',
    text,
    html: `<p>${text}</p>`,
    messageId,
    threadId: messageId,
  };
  try {
    await sendWithService(ctx, service, mail, AbortSignal.timeout(TIMEOUT_MS));
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.warn({ err: error, apiKey: tenantId }, 'A test email was refused.');
    // The reply of the operator's own mail server may name internal hosts, so it is only logged.
    const reason =
      service.config.type === 'external'
        ? error.message
        : "The mail server refused the email. See this server's log for the reason.";
    throw new AppError('FAILED_PRECONDITION', reason, { cause: error });
  }
}
