import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { BackgroundLoop } from '../../platform/loops/background-loop.ts';
import { nowIf } from '../../platform/loops/due-work.ts';
import { SMTP_CONNECTIONS } from '../../platform/mail/mail.ts';
import type { Worker } from '../../platform/worker.ts';
import { deliverMail } from './deliver-mail.ts';
import {
  afterFailure,
  type ClaimedMail,
  claimMails,
  type MailOutcome,
  type ServiceType,
  settleMail,
} from './mails.ts';
import { prepareMails, type ReadyMail } from './prepare-mails.ts';

const SEND_TIMEOUT_MS = 45_000;
/** Longer than an attempt can take, so that no other process sends the same mail. */
const LEASE_MS = 120_000;
/** How long a stop waits for mails in flight. Interrupted mails are sent again later. */
const STOP_PATIENCE_MS = 3_000;

interface QueueOptions {
  service: ServiceType;
  /** The most mails in flight, in all and of one tenant, so that a slow one blocks no others. */
  slots: number;
  slotsOfTenant: number;
}

const QUEUES: QueueOptions[] = [
  { service: 'default', slots: SMTP_CONNECTIONS, slotsOfTenant: 5 },
  { service: 'external', slots: 32, slotsOfTenant: 4 },
];

/** Sends the queued mails. Each kind of service has a queue, and none waits for the other. */
export const mailWorker: Worker<Services> = {
  start(services) {
    const queues = QUEUES.map((options) => new MailQueue(services, options));
    const wake = () => {
      for (const queue of queues) queue.wake();
    };
    for (const queue of queues) queue.start();
    // Mails that were sent also have a due time, so no index finds the earliest of the others.
    // While mails wait, they are polled every second.
    const anyWaiting = () => nowIf(sql`EXISTS (SELECT FROM mails WHERE state = 'waiting')`);
    const leaveDueWork = services.dueWork.watch(anyWaiting, wake);
    services.wakeUps.on('mails', wake);
    return {
      async stop() {
        leaveDueWork();
        services.wakeUps.off('mails', wake);
        await Promise.all(queues.map((queue) => queue.stop()));
      },
    };
  },
};

/** Sends the mails of one kind of service. */
class MailQueue {
  readonly #ctx: Services;
  readonly #options: QueueOptions;
  /** The tenants of the mails in flight. */
  readonly #sending = new Map<Promise<void>, string>();
  readonly #stopping = new AbortController();
  /** The ids of API keys about whose missing provider key a warning was logged. */
  readonly #warned = new Set<string>();
  readonly #claiming: BackgroundLoop;

  constructor(ctx: Services, options: QueueOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#claiming = new BackgroundLoop(ctx, {
      name: `mails: ${options.service}`,
      run: () => this.#claim(),
      failure: 'E-mails wait until the database is back.',
    });
  }

  start(): void {
    this.#claiming.start();
    this.wake();
  }

  wake(): void {
    this.#claiming.wake();
  }

  async stop(): Promise<void> {
    await this.#claiming.stop();
    const patience = setTimeout(() => this.#stopping.abort(), STOP_PATIENCE_MS);
    await Promise.all(this.#sending.keys());
    clearTimeout(patience);
  }

  /** Claims mails and starts to send them. @returns whether there may be more */
  async #claim(): Promise<boolean> {
    const limit = this.#options.slots - this.#sending.size;
    if (limit <= 0) return false;
    const { db, clock } = this.#ctx;
    const { service, slotsOfTenant } = this.#options;
    const now = clock.now();
    const claimed = await claimMails(db, {
      service,
      limit,
      limitOfTenant: slotsOfTenant,
      sending: [...this.#sending.values()],
      now,
      leasedUntil: now + LEASE_MS,
    });
    for (const [tenantId, mails] of Map.groupBy(claimed, (mail) => mail.tenantId)) {
      for (const [mail, ready] of await this.#prepare(tenantId, mails)) this.#start(mail, ready);
    }
    return claimed.length > 0;
  }

  /** Prepares mails of a key. If that fails, they are retried like failed ones, up to the limit. */
  async #prepare(tenantId: string, claimed: ClaimedMail[]) {
    try {
      return await prepareMails(this.#ctx, tenantId, claimed);
    } catch (error) {
      await Promise.all(claimed.map((mail) => this.#settle(mail, this.#outcomeOf(mail, error))));
      return [];
    }
  }

  #start(mail: ClaimedMail, ready: ReadyMail | undefined): void {
    const attributes = { service: this.#options.service, event: mail.sequence };
    const sending = this.#ctx.tracing
      .trace({ name: 'mail', kind: 'client', attributes }, async () =>
        this.#settle(mail, await this.#attempt(mail, ready)),
      )
      .finally(() => {
        this.#sending.delete(sending);
        this.wake();
      });
    this.#sending.set(sending, mail.tenantId);
  }

  /** Stores an outcome. If that fails, the mail is sent again after its lease, with the same id. */
  async #settle(mail: ClaimedMail, outcome: MailOutcome): Promise<void> {
    const { db, clock, log, metrics } = this.#ctx;
    const name = outcome.state === 'waiting' ? 'retried' : outcome.state;
    metrics.mails.inc({ service: this.#options.service, outcome: name });
    try {
      await settleMail(db, mail, outcome, clock.now());
    } catch (error) {
      log.warn({ ...factsOf(mail), err: error }, 'The outcome of a mail was not stored.');
    }
  }

  /** Mails beyond the quota are dropped: if they waited, they would use up tomorrow's quota. */
  async #attempt(mail: ClaimedMail, ready: ReadyMail | undefined): Promise<MailOutcome> {
    if (!ready || this.#lacksKey(mail, ready)) return { state: 'dropped' };
    const { quotas, clock, log } = this.#ctx;
    const { tenantId } = mail;
    const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS);
    const signal = AbortSignal.any([this.#stopping.signal, timeout]);
    try {
      const quota = quotas.of(tenantId, ready.service.quotas);
      const takenAt = clock.now();
      if (quota && !(await quota.takeMail())) {
        log.warn(
          { tenantId },
          'A mail was dropped: the mails of its API key for today are used up.',
        );
        return { state: 'dropped' };
      }
      try {
        await deliverMail(this.#ctx, ready, signal);
      } catch (error) {
        await quota?.giveBackMail(takenAt);
        throw error;
      }
      return { state: 'sent' };
    } catch (error) {
      return this.#outcomeOf(mail, error);
    }
  }

  #lacksKey({ tenantId }: ClaimedMail, { service }: ReadyMail): boolean {
    if (service.config.type === 'default' || service.openApiKey() !== '') return false;
    if (!this.#warned.has(tenantId)) {
      const message = 'No mail is sent: the e-mail service is external, and has no apiKey.';
      this.#ctx.log.warn({ tenantId }, message);
      this.#warned.add(tenantId);
    }
    return true;
  }

  #outcomeOf(mail: ClaimedMail, error: unknown): MailOutcome {
    const outcome = afterFailure(mail.attempt, error);
    const message = outcome.state === 'failed' ? 'A mail was given up.' : 'A mail has to wait.';
    this.#ctx.log.warn({ ...factsOf(mail), err: error }, message);
    return outcome;
  }
}

const factsOf = ({ sequence: event, ...mail }: ClaimedMail) => ({ ...mail, event });
