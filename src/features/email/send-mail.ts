import type { Services } from '../../api/context.ts';
import { handleJob, type JobHandler, RetryLater } from '../../platform/jobs/job.ts';
import { MailError } from '../../platform/mail/mail.ts';
import { deliverMail } from './deliver-mail.ts';
import { MAX_ATTEMPTS, type MailKey, mailJobs } from './mail-jobs.ts';
import { prepareMail, type ReadyMail } from './prepare-mail.ts';
import { NO_API_KEY_MESSAGE } from './sendgrid.ts';
import type { EmailService } from './settings/email-config.ts';

const SEND_TIMEOUT_MS = 45_000;
/** How long a stop waits for emails that are being sent. Interrupted emails are sent again later. */
const STOP_GRACE_MS = 3_000;

type ServiceType = keyof typeof mailJobs;

export const mailHandlers: Array<JobHandler<Services>> = [
  handlerOf('default'),
  handlerOf('external'),
];

function handlerOf(service: ServiceType): JobHandler<Services> {
  /** The API keys for which a missing provider key has already been logged. */
  const warned = new Set<string>();
  const send = async (ctx: Services, mail: MailKey, stopping: AbortSignal, attempt: number) => {
    try {
      const ready = await prepareMail(ctx, mail);
      if (!ready) return 'dropped';
      if (lacksProviderKey(ready.service)) {
        warnOnce(ctx, mail.tenantId, warned);
        return 'dropped';
      }
      return (await sendMail(ctx, ready, stopping)) ? 'sent' : 'dropped';
    } catch (err) {
      const { isPermanent = false, retryAfterMs = 0 } = err instanceof MailError ? err : {};
      const isLast = attempt >= MAX_ATTEMPTS && !stopping.aborted;
      const isFinal = isPermanent || isLast;
      const message = isFinal
        ? 'An email could not be sent. It will not be tried again.'
        : 'An email could not be sent yet. It will be tried again later.';
      const { sequence: event, ...recipient } = mail;
      ctx.log.warn({ ...recipient, event, attempt, err }, message);
      // `RetryLater` is thrown below, once the metrics have counted it.
      return isFinal ? 'failed' : new RetryLater(retryAfterMs);
    }
  };
  return handleJob(mailJobs[service], async (ctx: Services, mail, stopping, attempt = 1) => {
    const attributes = { service, event: mail.sequence };
    const outcome = await ctx.tracing.trace({ name: 'mail', kind: 'client', attributes }, () =>
      send(ctx, mail, stopping, attempt),
    );
    const isRetried = outcome instanceof RetryLater;
    ctx.metrics.mails.inc({ service, outcome: isRetried ? 'retried' : outcome });
    if (isRetried) throw outcome;
    return outcome;
  });
}

/** Whether the external email service lacks its provider key. */
const lacksProviderKey = ({ config, decryptApiKey }: EmailService): boolean =>
  config.type === 'external' && decryptApiKey() === '';

/** Logs, once for each API key, that its emails are dropped. */
function warnOnce({ log }: Services, tenantId: string, warned: Set<string>): void {
  if (warned.has(tenantId)) return;
  log.warn({ tenantId }, `No email is sent. ${NO_API_KEY_MESSAGE}`);
  warned.add(tenantId);
}

/**
 * Sends an email unless the quota is used up. Emails beyond the quota are dropped: if they waited, they
 * would use up tomorrow's quota.
 *
 * @returns whether it was sent
 */
async function sendMail(ctx: Services, ready: ReadyMail, stopping: AbortSignal): Promise<boolean> {
  const { quotas, clock, log } = ctx;
  const { tenantId } = ready.event;
  const quota = quotas.of(tenantId, ready.service.quotas);
  const takenAt = clock.now();
  if (quota && !(await quota.takeMail())) {
    log.warn(
      { tenantId },
      'An email was dropped, because its API key has reached its daily email quota.',
    );
    return false;
  }
  try {
    const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS);
    await deliverMail(ctx, ready, AbortSignal.any([afterGracePeriod(stopping), timeout]));
  } catch (error) {
    await quota?.giveBackMail(takenAt);
    throw error;
  }
  return true;
}

/** Returns a signal that fires a grace period after `stopping`: an email that is interrupted may be sent twice. */
function afterGracePeriod(stopping: AbortSignal): AbortSignal {
  const afterGrace = new AbortController();
  const startGracePeriod = () => void setTimeout(() => afterGrace.abort(), STOP_GRACE_MS).unref();
  if (stopping.aborted) startGracePeriod();
  else stopping.addEventListener('abort', startGracePeriod, { once: true });
  return afterGrace.signal;
}
