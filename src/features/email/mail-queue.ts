import type { Services } from '../../api/context.ts';
import { BackgroundLoop } from '../../platform/loops/background-loop.ts';
import { MailError } from '../../platform/mail/mail.ts';
import { type ClaimedMail, claimMails, type ServiceType } from './claim-mails.ts';
import { deliverMail } from './deliver-mail.ts';
import { type PreparedMail, prepareMails } from './prepare-mails.ts';
import type { EmailService } from './settings/email-config.ts';
import { afterFailure, type MailOutcome, settleMail } from './settle-mail.ts';

const SEND_TIMEOUT_MS = 45_000;
/** Longer than an attempt can take, so that no other process sends the mail in the meantime. */
const LEASE_MS = 120_000;
/** How long a stop waits for mails in flight. Interrupted mails are sent again later. */
const STOP_PATIENCE_MS = 3_000;

interface QueueOptions {
  service: ServiceType;
  /** Mails in flight, in all and of one tenant, so that a slow tenant does not block others. */
  slots: number;
  slotsOfTenant: number;
}

/** Sends the mails of one kind of service. Each kind has a queue that waits for no other. */
export class MailQueue {
  readonly #ctx: Services;
  readonly #options: QueueOptions;
  readonly #sending = new Map<Promise<void>, string>();
  readonly #stopping = new AbortController();
  /** API keys about whose missing provider key a warning was logged. */
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
    this.#claiming.wake();
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

  /** @returns whether there may be more */
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
      sending: countOf(this.#sending.values()),
      now,
      leasedUntil: now + LEASE_MS,
    });
    for (const mail of await this.#prepare(claimed)) this.#start(mail);
    return claimed.length > 0;
  }

  /** Mails that cannot be prepared are retried like failed ones, and given up in the end. */
  async #prepare(claimed: ClaimedMail[]): Promise<PreparedMail[]> {
    try {
      return await prepareMails(this.#ctx, claimed);
    } catch (error) {
      await Promise.all(claimed.map((mail) => this.#settle(mail, this.#outcomeOf(mail, error))));
      return [];
    }
  }

  #start(mail: PreparedMail): void {
    const sending = this.#send(mail).finally(() => {
      this.#sending.delete(sending);
      this.wake();
    });
    this.#sending.set(sending, mail.claimed.tenantId);
  }

  async #send(mail: PreparedMail): Promise<void> {
    const attributes = { service: this.#options.service, event: mail.claimed.sequence };
    await this.#ctx.tracing.trace({ name: 'mail', kind: 'client', attributes }, async () =>
      this.#settle(mail.claimed, await this.#attempt(mail)),
    );
  }

  /** A mail whose outcome cannot be stored is sent again after its lease, with the same id. */
  async #settle(mail: ClaimedMail, outcome: MailOutcome): Promise<void> {
    const { db, clock, log, metrics } = this.#ctx;
    metrics.mails.inc({ service: this.#options.service, outcome: nameOf(outcome) });
    try {
      await settleMail(db, mail, outcome, clock.now());
    } catch (error) {
      log.warn({ ...factsOf(mail), err: error }, 'What came of a mail was not recorded.');
    }
  }

  async #attempt({ claimed, ready }: PreparedMail): Promise<MailOutcome> {
    if (!ready || this.#lacksKey(claimed, ready)) return { state: 'dropped' };
    const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS);
    const signal = AbortSignal.any([this.#stopping.signal, timeout]);
    try {
      const deliver = () => deliverMail(this.#ctx, ready.service, ready.selected, signal);
      const isSent = await this.#withinQuota(claimed, ready.service, deliver);
      return { state: isSent ? 'sent' : 'dropped' };
    } catch (error) {
      return this.#outcomeOf(claimed, error);
    }
  }

  /** Drops mails beyond the quota: if they waited, they would use up tomorrow's quota. */
  async #withinQuota(
    { tenantId }: ClaimedMail,
    service: EmailService,
    deliver: () => Promise<void>,
  ): Promise<boolean> {
    const { quotas, clock, log } = this.#ctx;
    const key = quotas.of(tenantId, service.quotas);
    const takenAt = clock.now();
    if (key && !(await key.takeMail())) {
      log.warn({ tenantId }, 'A mail was dropped: the mails of its API key for today are used up.');
      return false;
    }
    try {
      await deliver();
      return true;
    } catch (error) {
      await key?.giveBackMail(takenAt);
      throw error;
    }
  }

  #lacksKey({ tenantId }: ClaimedMail, { service }: NonNullable<PreparedMail['ready']>): boolean {
    if (service.config.type === 'default' || service.openApiKey() !== '') return false;
    if (!this.#warned.has(tenantId)) {
      const message = 'No mail is sent: the e-mail service is external, and has no apiKey.';
      this.#ctx.log.warn({ tenantId }, message);
      this.#warned.add(tenantId);
    }
    return true;
  }

  #outcomeOf(claimed: ClaimedMail, error: unknown): MailOutcome {
    const { isPermanent = false, retryAfterMs = 0 } = error instanceof MailError ? error : {};
    const outcome: MailOutcome = isPermanent
      ? { state: 'failed' }
      : afterFailure(claimed.attempt, retryAfterMs);
    const message = outcome.state === 'failed' ? 'A mail was given up.' : 'A mail has to wait.';
    this.#ctx.log.warn({ ...factsOf(claimed), err: error }, message);
    return outcome;
  }
}

const countOf = (tenantIds: Iterable<string>): Map<string, number> =>
  new Map(
    [...Map.groupBy(tenantIds, (tenantId) => tenantId)].map(([tenantId, own]) => [
      tenantId,
      own.length,
    ]),
  );

const nameOf = ({ state }: MailOutcome): string => (state === 'waiting' ? 'retried' : state);

const factsOf = ({ tenantId, sequence, userId, attempt }: ClaimedMail) => ({
  tenantId,
  event: sequence,
  userId,
  attempt,
});
