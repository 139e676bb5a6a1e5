import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { headerText, type Mailbox } from '../../platform/mail/mail.ts';
import type { EmailService } from '../settings/email-config.ts';
import type { WantedMail } from './wanted-mails.ts';

/** Who sends: as the key says, or nobody who could be answered at the host of this service. */
export const senderOf = ({ config }: EmailService, publicUrl: string): Mailbox => ({
  name: headerText(config.fromCompany),
  address: config.fromEmail === '' ? `no-reply@${hostOf(publicUrl)}` : config.fromEmail,
});

export const recipientOf = ({ recipient: { user }, address }: WantedMail): Mailbox => ({
  name: typeof user.name === 'string' ? headerText(user.name) : '',
  address,
});

/** The mail's own name and its conversation's: the same at every attempt, and without any id. */
export function namesOf({ event, recipient }: WantedMail, publicUrl: string) {
  const { tenantId, id, data } = event;
  const named = (...parts: string[]) => `<${digest(parts)}@${hostOf(publicUrl)}>`;
  return {
    messageId: named('mail', tenantId, id, recipient.user.userId),
    threadId: named('thread', tenantId, data.annotationId),
  };
}

const digest = (parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

/** Mail knows no bare IP addresses. */
function hostOf(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.replaceAll(/^\[|\]$/g, '');
  return isIP(host) === 0 ? host : 'localhost';
}
