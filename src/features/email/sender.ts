import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Services } from '../../api/context.ts';
import { headerText, type Mailbox, type OutgoingMail } from '../../platform/mail/mail.ts';
import type { SelectedMail } from './select-mails.ts';
import type { EmailService } from './settings/email-config.ts';

type Config = Pick<Services['config'], 'publicUrl' | 'smtpUrl' | 'mailFromDomains'>;

/**
 * The sender: the key's own address, or else a no-reply address at this service's host. Over the
 * operator's SMTP server, only addresses in the operator's domains may send; others get replies.
 */
export function senderOf(
  { config: { type, fromCompany, fromEmail } }: EmailService,
  { publicUrl, smtpUrl, mailFromDomains }: Config,
): Pick<OutgoingMail, 'from' | 'replyTo'> {
  const name = headerText(fromCompany);
  const own = fromEmail === '' ? undefined : { name, address: fromEmail };
  const domain = fromEmail.slice(fromEmail.lastIndexOf('@') + 1).toLowerCase();
  const host = hostOf(publicUrl);
  const leavesBySmtp = type === 'default' && smtpUrl !== undefined;
  if (own && (!leavesBySmtp || [host, ...mailFromDomains].includes(domain))) {
    return { from: own, replyTo: undefined };
  }
  return { from: { name, address: `no-reply@${host}` }, replyTo: own };
}

export const recipientOf = ({ recipient: { user }, address }: SelectedMail): Mailbox => ({
  name: typeof user.name === 'string' ? headerText(user.name) : '',
  address,
});

/** The Message-ID and the thread's id: the same at every attempt, and hashed to reveal no ids. */
export function namesOf({ event, recipient }: SelectedMail, publicUrl: string) {
  const { tenantId, id, data } = event;
  const named = (...parts: string[]) => `<${digest(parts)}@${hostOf(publicUrl)}>`;
  return {
    messageId: named('mail', tenantId, id, recipient.user.userId),
    threadId: named('thread', tenantId, data.annotationId),
  };
}

const digest = (parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

/** Mail addresses cannot have a bare IP address as host. */
export function hostOf(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.replaceAll(/^\[|\]$/g, '');
  return isIP(host) === 0 ? host : 'localhost';
}
