import type { Logger } from '../logging.ts';
import type { Mailer, OutgoingMail } from './mail.ts';
import { SmtpMailer } from './smtp-mailer.ts';

/** The e-mail service of the operator: an SMTP server, or else the log. */
export const createMailer = (smtpUrl: string | undefined, log: Logger): Mailer =>
  smtpUrl === undefined ? new LogMailer(log) : new SmtpMailer(smtpUrl);

/** Writes e-mails to the log, for work without an SMTP server. */
class LogMailer implements Mailer {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  async send({ from, to, subject, text, messageId }: OutgoingMail): Promise<void> {
    this.#log.info({ from, to, subject, text, messageId }, 'mail');
  }

  close(): void {}
}
