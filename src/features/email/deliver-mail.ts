import type { Services } from '../../api/context.ts';
import type { MailContent } from './mail-content.ts';
import type { ReadyMail } from './prepare-mails.ts';
import type { SelectedMail } from './select-mails.ts';
import { namesOf, recipientOf, senderOf } from './sender.ts';
import { sendThroughSendGrid } from './sendgrid.ts';
import type { EmailService } from './settings/email-config.ts';
import { isTrustedLink } from './trusted-links.ts';

/**
 * Makes one attempt to send a mail with the service of its key.
 *
 * @throws MailError
 */
export async function deliverMail(
  ctx: Services,
  service: EmailService,
  { byUsers, ...selected }: ReadyMail,
  signal: AbortSignal,
): Promise<void> {
  const { publicUrl } = ctx.config;
  const { allowedDomains } = service;
  const isTrusted = (url: string) => isTrustedLink(url, { publicUrl, allowedDomains });
  // The library that sanitizes HTML is loaded by the first mail.
  const { contentOf } = await import('./mail-content.ts');
  const content = contentOf(selected, { byUsers, isTrusted });
  const { subject, text, html } = content;
  const sender = senderOf(service, ctx.config);
  const to = recipientOf(selected);
  const mail = { ...sender, to, subject, text, html, ...namesOf(selected, publicUrl) };
  const { type, commentTemplateId, tagTemplateId } = service.config;
  if (type === 'default') return ctx.mailer.send(mail, signal);
  const isMention = selected.recipient.reason === 'mentioned';
  const templateId = isMention ? tagTemplateId : commentTemplateId;
  const templateData = templateDataOf(selected, content);
  const apiKey = service.openApiKey();
  return sendThroughSendGrid(ctx, { apiKey, mail, templateId, templateData }, signal);
}

/** The fields for templates, as docs/notifications.md lists them. */
function templateDataOf({ event, recipient }: SelectedMail, content: MailContent) {
  const { actionUser, annotationId, annotationNumber, commentIds = [] } = event.data;
  const { html: _html, text: _text, ...words } = content;
  return {
    ...words,
    eventType: event.type,
    reason: recipient.reason,
    organizationId: event.organizationId,
    documentId: event.documentId,
    annotationId,
    annotationNumber,
    commentIds,
    recipientUser: shown(recipient.user),
    ...(actionUser && { actionUser: shown(actionUser) }),
  };
}

const shown = ({ userId, name, email }: SelectedMail['recipient']['user']) => ({
  userId,
  name,
  email,
});
