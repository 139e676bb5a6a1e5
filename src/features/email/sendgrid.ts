import { type Dispatcher, request } from 'undici';
import type { Services } from '../../api/context.ts';
import { MailError, type OutgoingMail } from '../../platform/mail/mail.ts';

/**
 * A mail for SendGrid (v3 mail/send), with a template of the customer or with the standard text.
 */
export interface SendGridMail {
  apiKey: string;
  mail: OutgoingMail;
  /** Empty for no template. */
  templateId: string;
  /** The fields for the template. */
  templateData: Record<string, unknown>;
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER = 16_384;

type Context = Pick<Services, 'config' | 'gateways' | 'clock'>;

/** @throws MailError */
export async function sendThroughSendGrid(
  { config, gateways, clock }: Context,
  sent: SendGridMail,
  signal: AbortSignal,
): Promise<void> {
  const answer = await post(`${config.sendgridBaseUrl}/v3/mail/send`, {
    dispatcher: gateways,
    method: 'POST',
    headers: { authorization: `Bearer ${sent.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(sent)),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    signal,
  });
  const { statusCode, headers, body } = answer;
  const text = await readSome(body);
  if (statusCode >= 200 && statusCode < 300) return;
  const isTemporary = statusCode === 408 || statusCode === 429 || statusCode >= 500;
  const reason = text.replaceAll(sent.apiKey, '[secret]').slice(0, 300);
  throw new MailError(`SendGrid answered ${statusCode}: ${reason}`, {
    isPermanent: !isTemporary,
    retryAfterMs: retryAfter(headers['retry-after'], clock.now()),
  });
}

async function post(url: string, options: Parameters<typeof request>[1]) {
  try {
    return await request(url, options);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    // An invalid header: the key contains characters that no key has.
    const isPermanent = code === 'UND_ERR_INVALID_ARG';
    throw new MailError(isPermanent ? 'The key cannot be sent.' : `SendGrid: ${message}`, {
      isPermanent,
    });
  }
}

function bodyOf({ mail, templateId, templateData }: SendGridMail) {
  const { from, to, subject, text, html, messageId, threadId } = mail;
  return {
    personalizations: [
      {
        to: [mailbox(to)],
        ...(templateId !== '' && { dynamic_template_data: templateData }),
        // The id by which the customer recognizes a mail that was sent twice.
        custom_args: { mailId: messageId.slice(1, messageId.indexOf('@')) },
      },
    ],
    from: mailbox(from),
    headers: { References: threadId, 'Auto-Submitted': 'auto-generated' },
    ...(templateId !== ''
      ? { template_id: templateId }
      : {
          subject,
          content: [
            { type: 'text/plain', value: text },
            { type: 'text/html', value: html },
          ],
        }),
  };
}

const mailbox = ({ name, address }: OutgoingMail['to']) =>
  name === '' ? { email: address } : { email: address, name };

/** Reads the beginning of a response. The connection is not kept for a longer one. */
async function readSome(body: Dispatcher.ResponseData['body']): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_ANSWER) break;
    }
  } catch {
    // The beginning is sufficient, since the status is known.
  }
  return text;
}

/** The header holds seconds or a date. */
function retryAfter(header: string | string[] | undefined, now: number): number {
  const value = String(header ?? '').trim();
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
