import type { Logger } from '../logging.ts';
import type { Mailer, OutgoingMail } from './mail.ts';

/** Writes e-mails to the log, for work without an SMTP server. */
export class LogMailer implements Mailer {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  async send({ from, to, subject, text, messageId }: OutgoingMail): Promise<void> {
    this.#log.info({ from, to, subject, text, messageId }, 'mail');
  }

  close(): void {}
}
