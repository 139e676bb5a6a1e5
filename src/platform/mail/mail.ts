export interface OutgoingMail {
  from: Mailbox;
  to: Mailbox;
  /** The address for replies, if it is not `from`. */
  replyTo: Mailbox | undefined;
  subject: string;
  text: string;
  html: string;
  /** The same id for every attempt, so that receivers can drop duplicates. */
  messageId: string;
  /** The conversation to which the email belongs. Email clients group emails by it. */
  threadId: string;
}

interface Mailbox {
  name: string;
  address: string;
}

export interface Mailer {
  /** @throws MailError */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Why an email was not sent, in words for the operator's log. */
export class MailError extends Error {
  /** Whether the same email would be refused again. */
  readonly isPermanent: boolean;
  /** How long the mail server asks us to wait; 0 if it does not say. */
  readonly retryAfterMs: number;

  constructor(message: string, { isPermanent = false, retryAfterMs = 0 } = {}) {
    super(message);
    this.name = 'MailError';
    this.isPermanent = isPermanent;
    this.retryAfterMs = retryAfterMs;
  }
}

/** How many emails are sent at a time. Each has a connection of its own, so none waits in the pool. */
export const SMTP_CONNECTIONS = 10;

const MAX_HEADER_LENGTH = 200;

/** Matches line breaks, which could start another header, and marks that change the direction of text. */
const NOT_IN_HEADERS = /[\p{Cc}\p{Zl}\p{Zp}\s\u202A-\u202E\u2066-\u2069]+/gu;

/** Matches the start of encoded text (RFC 2047). Email clients might decode it to characters in `NOT_IN_HEADERS`. */
const ENCODED_WORD = /=\?(?=[^\s?]+\?[bq]\?)/gi;

/** Text for a header: one line, and short. */
export const headerText = (text: string): string => {
  const line = text.replaceAll(NOT_IN_HEADERS, ' ').replaceAll(ENCODED_WORD, '= ?').trim();
  return [...line].slice(0, MAX_HEADER_LENGTH).join('');
};
