import type { Logger } from '../logging.ts';
import { MailError, type Mailer, type OutgoingMail, SMTP_CONNECTIONS } from './mail.ts';

const MAILS_PER_CONNECTION = 100;
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;

/** Creates the operator's email service: an SMTP server, or else the log. */
export const createMailer = (smtpUrl: string | undefined, log: Logger): Mailer =>
  smtpUrl === undefined ? logMailer(log) : new SmtpMailer(smtpUrl);

/** Writes emails to the log, for development without an SMTP server. */
const logMailer = (log: Logger): Mailer => ({
  async send({ from, to, subject, text, messageId }) {
    log.info({ from, to, subject, text, messageId }, 'An email was logged instead of sent.');
  },
  close() {},
});

/** Sends emails to an SMTP server over a small pool of connections. */
class SmtpMailer implements Mailer {
  readonly #url: string;
  #transport: ReturnType<typeof createTransport> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<void> {
    const { from, to, replyTo, subject, text, html, messageId, threadId } = mail;
    const message = {
      from,
      to,
      replyTo,
      subject,
      text,
      html,
      messageId,
      references: threadId,
      // Asks receivers to send no automatic replies (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal,
    };
    try {
      this.#transport ??= createTransport(this.#url);
      const transport = await this.#transport;
      await transport.sendMail(message);
    } catch (error) {
      throw mailError(error as SmtpError);
    }
  }

  close(): void {
    void this.#transport?.then((transport) => transport.close());
  }
}

/** Loads the library for the first email: a process that sends none does not need it. */
async function createTransport(url: string) {
  const nodemailer = await import('nodemailer');
  const transport = nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: SMTP_CONNECTIONS,
    maxMessages: MAILS_PER_CONNECTION,
    // The server may have closed a pooled connection, so the email is sent once more on a new one.
    maxRequeues: 1,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    // The content of emails is untrusted, so it must not refer to files or URLs to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // Each email reports its own failure. Without this listener, an error of an idle connection would be thrown.
  transport.on('error', () => undefined);
  return transport;
}

interface SmtpError extends Error {
  code?: string;
  /** The SMTP command that failed; `API` if the library has found an invalid address. */
  command?: string;
  responseCode?: number;
  /** Whether the server said that it would refuse the same email again. */
  permanent?: boolean;
}

/** The response code of a server that requires credentials or TLS first (RFC 4954, RFC 3207). */
const NOT_AUTHENTICATED = 530;

/**
 * Converts a failure. It is permanent if the server would refuse the same email again. If the server
 * refuses the connection or our credentials, the email waits until the operator has corrected that.
 */
function mailError({ message, code, command, responseCode, permanent }: SmtpError): MailError {
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isRefused = command === 'API' || (permanent && responseCode !== NOT_AUTHENTICATED);
  return new MailError(`SMTP: ${message}`, { isPermanent: isAboutMail && isRefused });
}
