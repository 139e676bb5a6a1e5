import type { Logger } from '../logging.ts';
import { LogMailer } from './log-mailer.ts';
import type { Mailer } from './mail.ts';
import { SmtpMailer } from './smtp-mailer.ts';

/** The e-mail service of the operator: an SMTP server, or else the log. */
export const createMailer = (smtpUrl: string | undefined, log: Logger): Mailer =>
  smtpUrl === undefined ? new LogMailer(log) : new SmtpMailer(smtpUrl);
