import type { Services } from '../../api/context.ts';
import { handleJob, type JobHandler, RetryLater } from '../../platform/jobs/job.ts';
import { MailError } from '../../platform/mail/mail.ts';
import { deliverMail } from './deliver-mail.ts';
import { MAX_ATTEMPTS, type MailKey, mailJobs } from './mail-jobs.ts';
import { prepareMail, type ReadyMail } from './prepare-mail.ts';
import { NO_API_KEY } from './sendgrid.ts';

const SEND_TIMEOUT_MS = 45_000;
/** How long a stop waits for mails in flight. Interrupted mails are sent again later. */
const STOP_GRACE_MS = 3_000;

type ServiceType = keyof typeof mailJobs;

export const mailHandlers: Array<JobHandler<Services>> = [
  handlerOf('default'),
  handlerOf('external'),
];

function handlerOf(service: ServiceType): JobHandler<Services> {
  /** The API keys that were warned about a missing provider key. */
  const warned = new Set<string>();
  const send = async (ctx: Services, mail: MailKey, stopping: AbortSignal, attempt: number) => {
    try {
      const ready = await prepareMail(ctx, mail);
      if (!ready || lacksProviderKey(ctx, ready, warned)) return 'dropped';
      return (await sendMail(ctx, ready, stopping)) ? 'sent' : 'dropped';
    } catch (err) {
      const { isPermanent = false, retryAfterMs = 0 } = err instanceof MailError ? err : {};
      const isLast = attempt >= MAX_ATTEMPTS && !stopping.aborted;
      const isFinal = isPermanent || isLast;
      const message = isFinal
        ? 'A mail could not be sent. It is not tried again.'
        : 'A mail could not be sent yet. It is tried again later.';
      const { sequence: event, ...recipient } = mail;
      ctx.log.warn({ ...recipient, event, attempt, err }, message);
      // This is thrown below, once the metrics have counted it.
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

/** Whether the external e-mail service lacks its provider key. Logs this once for each API key. */
function lacksProviderKey(
  { log }: Services,
  { service, event }: ReadyMail,
  warned: Set<string>,
): boolean {
  if (service.config.type === 'default' || service.decryptApiKey() !== '') return false;
  const { tenantId } = event;
  if (!warned.has(tenantId)) {
    log.warn({ tenantId }, `No mail is sent. ${NO_API_KEY}`);
    warned.add(tenantId);
  }
  return true;
}

/**
 * Sends a mail unless its quota is used up. Mails beyond the quota are dropped: if they waited, they
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
      'A mail was dropped, because its API key has used up its mails for today.',
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

/** Returns a signal that fires a grace period after the stop, since an interrupted mail may be sent twice. */
function afterGracePeriod(stopping: AbortSignal): AbortSignal {
  const afterGrace = new AbortController();
  const startGracePeriod = () => void setTimeout(() => afterGrace.abort(), STOP_GRACE_MS).unref();
  if (stopping.aborted) startGracePeriod();
  else stopping.addEventListener('abort', startGracePeriod, { once: true });
  return afterGrace.signal;
}
