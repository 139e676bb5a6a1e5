import { type Dispatcher, request } from 'undici';
import type { Services } from '../../api/context.ts';
import { MailError, type OutgoingMail } from '../../platform/mail/mail.ts';
import { readRetryAfter } from '../../platform/outbound/retry-after.ts';

/** The customer's template for the email, and the fields to fill in. */
export interface Template {
  /** Empty if there is no template. */
  id: string;
  data: Record<string, unknown>;
}

export const NO_API_KEY_MESSAGE =
  'The external email service has no apiKey. Set it with emailConfig.update.';

const TIMEOUT_MS = 15_000;
/** The longest delay that SendGrid may ask for. It equals the longest delay between two attempts. */
const MAX_RETRY_AFTER_MS = 6 * 3_600_000;
/** The most characters of a response that are read. */
const MAX_RESPONSE_LENGTH = 16_384;

/**
 * Sends an email through SendGrid (v3 mail/send), with the customer's template or with the standard text.
 *
 * @throws MailError
 */
export async function sendThroughSendGrid(
  { config, gateways, clock }: Pick<Services, 'config' | 'gateways' | 'clock'>,
  apiKey: string,
  mail: OutgoingMail,
  signal: AbortSignal,
  template?: Template,
): Promise<void> {
  if (apiKey === '') throw new MailError(NO_API_KEY_MESSAGE, { isPermanent: true });
  const { statusCode, headers, body } = await post(`${config.sendgridBaseUrl}/v3/mail/send`, {
    dispatcher: gateways,
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(mail, template)),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    signal,
  });
  const text = await readBeginning(body);
  if (statusCode >= 200 && statusCode < 300) return;
  const isTemporary = statusCode === 408 || statusCode === 429 || statusCode >= 500;
  const reason = text.replaceAll(apiKey, '[secret]').slice(0, 300);
  const retryAfter = headers['retry-after'];
  const header = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
  throw new MailError(`SendGrid responded with ${statusCode}: ${reason}`, {
    isPermanent: !isTemporary,
    retryAfterMs: Math.min(readRetryAfter(header, clock.now()) ?? 0, MAX_RETRY_AFTER_MS),
  });
}

async function post(url: string, options: Parameters<typeof request>[1]) {
  try {
    return await request(url, options);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    // The authorization header is invalid, because the key has characters that no header may contain.
    const isPermanent = code === 'UND_ERR_INVALID_ARG';
    throw new MailError(
      isPermanent
        ? 'The apiKey of the email service contains characters that cannot be sent.'
        : `SendGrid: ${message}`,
      {
        isPermanent,
      },
    );
  }
}

function bodyOf(mail: OutgoingMail, template: Template | undefined) {
  const { from, to, subject, text, html, messageId, threadId } = mail;
  const content = [
    { type: 'text/plain', value: text },
    { type: 'text/html', value: html },
  ];
  return {
    personalizations: [
      {
        to: [mailbox(to)],
        ...(template?.id && { dynamic_template_data: template.data }),
        // This id lets the customer recognize an email that was sent twice.
        custom_args: { mailId: messageId.slice(1, messageId.indexOf('@')) },
      },
    ],
    from: mailbox(from),
    headers: { References: threadId, 'Auto-Submitted': 'auto-generated' },
    ...(template?.id ? { template_id: template.id } : { subject, content }),
  };
}

const mailbox = ({ name, address }: OutgoingMail['to']) =>
  name === '' ? { email: address } : { email: address, name };

/** Reads the beginning of a response. If it is longer, the connection is closed. */
async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_RESPONSE_LENGTH) break;
    }
  } catch {
    // The status is known, so the response may be incomplete.
  }
  return text;
}
