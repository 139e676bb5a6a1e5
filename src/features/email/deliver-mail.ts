import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Services } from '../../api/context.ts';
import { isAllowedOrigin } from '../../api/credentials/allowed-domains.ts';
import { headerText, type OutgoingMail } from '../../platform/mail/mail.ts';
import type { NamedUserObject } from '../comments/annotation-row.ts';
import type { MailContent } from './mail-content.ts';
import type { ReadyMail } from './prepare-mail.ts';
import { sendThroughSendGrid, type Template } from './sendgrid.ts';
import type { EmailService } from './settings/email-config.ts';

/**
 * Makes one attempt to send an email with the email service of its API key.
 *
 * @throws MailError
 */
export async function deliverMail(
  ctx: Services,
  ready: ReadyMail,
  signal: AbortSignal,
): Promise<void> {
  const { service, event, recipient, address } = ready;
  const { publicUrl } = ctx.config;
  // Emails are sent in the operator's name, so links from users may lead only to this service and to
  // the domains of the API key.
  const trusted = [new URL(publicUrl).hostname, ...service.allowedDomains];
  const isTrusted = (url: string) =>
    URL.canParse(url) && isAllowedOrigin(new URL(url).origin, trusted);
  // This loads the library that sanitizes HTML, which is needed only once an email is sent.
  const { buildMailContent } = await import('./mail-content.ts');
  const content = buildMailContent(ready, isTrusted);
  const { subject, text, html } = content;
  const { tenantId, id, data } = event;
  const { user, reason } = recipient;
  const name = typeof user.name === 'string' ? headerText(user.name) : '';
  // The ids are the same in every attempt. They are hashes, so that they do not reveal internal ids.
  const hashedId = (...parts: string[]) => `<${digest(parts)}@${hostOf(publicUrl)}>`;
  const messageId = hashedId('mail', tenantId, id, user.userId);
  const threadId = hashedId('thread', tenantId, data.annotationId);
  const mail = { to: { name, address }, subject, text, html, messageId, threadId };
  const { tagTemplateId, commentTemplateId } = service.config;
  const template = {
    id: reason === 'mentioned' ? tagTemplateId : commentTemplateId,
    data: templateDataOf(ready, content),
  };
  await sendWithService(ctx, service, mail, signal, template);
}

/**
 * Sends an email with the email service of an API key, and with the sender that the key has set.
 *
 * @throws MailError
 */
export function sendWithService(
  ctx: Services,
  service: EmailService,
  mail: Omit<OutgoingMail, 'from' | 'replyTo'>,
  signal: AbortSignal,
  template?: Template,
): Promise<void> {
  const outgoing = { ...senderOf(service, ctx.config), ...mail };
  if (service.config.type === 'default') return ctx.mailer.send(outgoing, signal);
  return sendThroughSendGrid(ctx, service.decryptApiKey(), outgoing, signal, template);
}

/** Returns the fields for templates, as docs/notifications.md lists them. */
function templateDataOf({ event, recipient }: ReadyMail, content: MailContent) {
  const { actionUser, annotationId, annotationNumber, commentIds = [] } = event.data;
  const { html: _html, text: _text, ...textFields } = content;
  return {
    ...textFields,
    eventType: event.type,
    reason: recipient.reason,
    organizationId: event.organizationId,
    documentId: event.documentId,
    annotationId,
    annotationNumber,
    commentIds,
    recipientUser: userForTemplate(recipient.user),
    ...(actionUser && { actionUser: userForTemplate(actionUser) }),
  };
}

const userForTemplate = ({ userId, name, email }: NamedUserObject) => ({ userId, name, email });

const digest = (parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

/**
 * Returns the sender: the key's own address, or else a no-reply address at this service's host. Over the
 * operator's SMTP server, only addresses in the operator's domains may send; any other becomes the reply address.
 */
function senderOf(
  { config: { type, fromCompany, fromEmail } }: EmailService,
  { publicUrl, smtpUrl, mailFromDomains }: Services['config'],
): Pick<OutgoingMail, 'from' | 'replyTo'> {
  const name = headerText(fromCompany);
  const ownAddress = fromEmail === '' ? undefined : { name, address: fromEmail };
  const domain = fromEmail.slice(fromEmail.lastIndexOf('@') + 1).toLowerCase();
  const host = hostOf(publicUrl);
  const isSentBySmtp = type === 'default' && smtpUrl !== undefined;
  if (ownAddress && (!isSentBySmtp || [host, ...mailFromDomains].includes(domain))) {
    return { from: ownAddress, replyTo: undefined };
  }
  return { from: { name, address: `no-reply@${host}` }, replyTo: ownAddress };
}

/** Returns the host of the URL for email addresses; `localhost` for an IP address, which they cannot contain. */
export function hostOf(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.replaceAll(/^\[|\]$/g, '');
  return isIP(host) === 0 ? host : 'localhost';
}
