import type { Logger } from '../logging.ts';
import type { Mailer } from './mail.ts';
import { SmtpMailer } from './smtp-mailer.ts';

/** The e-mail service of the operator: an SMTP server, or else the log. */
export const createMailer = (smtpUrl: string | undefined, log: Logger): Mailer =>
  smtpUrl === undefined ? logMailer(log) : new SmtpMailer(smtpUrl);

/** Writes e-mails to the log, for development without an SMTP server. */
const logMailer = (log: Logger): Mailer => ({
  async send({ from, to, subject, text, messageId }) {
    log.info({ from, to, subject, text, messageId }, 'mail');
  },
  close() {},
});
