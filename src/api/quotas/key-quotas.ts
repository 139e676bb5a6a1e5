import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { quotaHeaders } from './headers.ts';
import type { Limits, QuotaName } from './limits.ts';
import { quotaUsedUp } from './refusal.ts';
import { addUsage, giveBackMail, readUsage, type StoredUsage } from './usage-rows.ts';

/** How old the usage may be that headers show, and that writes of content are judged by. */
const SHOWN_AGE_MS = 5_000;
const JUDGED_AGE_MS = 1_000;
/** Storage is measured so long after a change. */
const MEASURE_WITHIN_MS = 15_000;

interface KeyQuotasParts {
  db: Queryable;
  clock: Clock;
  metrics: Metrics;
  /** Writes what was accepted to the database, a little later. */
  flushSoon: () => void;
}

type Used = Record<QuotaName, number>;

/** What one key has used of its quotas, as this process knows it. */
export class KeyQuotas {
  limits: Limits;
  readonly #tenantId: string;
  readonly #parts: KeyQuotasParts;
  #stored: StoredUsage = { storedBytes: 0, mails: 0, modelTokens: 0 };
  #storedOn = '';
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** Bytes that were accepted and are not in the database yet. */
  #pendingBytes = 0;
  #hasChanged = false;

  constructor(tenantId: string, limits: Limits, parts: KeyQuotasParts) {
    this.#tenantId = tenantId;
    this.limits = limits;
    this.#parts = parts;
  }

  /** Whether there is something that the database does not know. */
  get isDirty(): boolean {
    return this.#hasChanged || this.#pendingBytes !== 0;
  }

  /** Whether nothing is lost when this process forgets the key. */
  get isIdle(): boolean {
    return !this.isDirty && performance.now() - this.#readAt > SHOWN_AGE_MS;
  }

  /** For every answer. When usage cannot be looked up, it is shown as it was. */
  async headers(): Promise<Record<string, string>> {
    await this.#used(SHOWN_AGE_MS).catch(() => undefined);
    return quotaHeaders(this.limits, this.#now(), this.#parts.clock.now());
  }

  /**
   * Runs a call that changes what is stored.
   *
   * @param adds the bytes of content that come with it; undefined when it adds none
   * @throws RESOURCE_EXHAUSTED when the quota of storage has no room for them
   */
  async storing<Result extends { ok: boolean }>(
    adds: number | undefined,
    call: () => Promise<Result>,
  ): Promise<Result> {
    if (this.limits.storage === undefined) return call();
    if (adds !== undefined) await this.#reserve(adds, this.limits.storage);
    let isDone = false;
    try {
      const result = await call();
      isDone = result.ok;
      return result;
    } finally {
      if (isDone) this.accept(0);
      else if (adds !== undefined) this.accept(-adds);
    }
  }

  /** Counts content that came in another way. */
  accept(bytes: number): void {
    if (this.limits.storage === undefined) return;
    this.#pendingBytes += bytes;
    this.#hasChanged = true;
    this.#parts.flushSoon();
  }

  async isStorageUsedUp(): Promise<boolean> {
    const { storage } = this.limits;
    return storage !== undefined && (await this.#used(JUDGED_AGE_MS)).storage >= storage;
  }

  /**
   * Before a model is asked. What is asked by then comes to its end.
   *
   * @throws RESOURCE_EXHAUSTED when the tokens of today are used up
   */
  async requireModelTokens(): Promise<void> {
    const { 'model-tokens': limit } = this.limits;
    if (limit === undefined) return;
    const { 'model-tokens': used } = await this.#used(0);
    if (used >= limit) throw this.#refuse('model-tokens', limit, used);
  }

  async areModelTokensUsedUp(): Promise<boolean> {
    const { 'model-tokens': limit } = this.limits;
    return limit !== undefined && (await this.#used(0))['model-tokens'] >= limit;
  }

  async spendModelTokens(tokens: number): Promise<void> {
    if (this.limits['model-tokens'] === undefined || tokens === 0) return;
    const { db, clock } = this.#parts;
    this.#take(await addUsage(db, this.#tenantId, clock.now(), { modelTokens: tokens }));
  }

  /** Counts a mail, unless those of today are used up. Exact, whichever processes send. */
  async takeMail(): Promise<boolean> {
    const { mails } = this.limits;
    if (mails === undefined) return true;
    const { db, clock } = this.#parts;
    const usage = await addUsage(db, this.#tenantId, clock.now(), { mails: 1 }, mails);
    if (usage) this.#take(usage);
    else this.#parts.metrics.quotaRefusals.inc({ quota: 'mails' });
    return usage !== undefined;
  }

  /** @param takenAt when it was taken: the count of another day stays */
  async giveBackMail(takenAt: number): Promise<void> {
    if (this.limits.mails !== undefined) {
      await giveBackMail(this.#parts.db, this.#tenantId, takenAt);
    }
  }

  /** Brings the database and this process in line. */
  async sync(): Promise<void> {
    this.#reading ??= this.#exchange().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #reserve(bytes: number, limit: number): Promise<void> {
    const { storage: used } = await this.#used(JUDGED_AGE_MS);
    if (used >= limit || used + bytes > limit) throw this.#refuse('storage', limit, used);
    this.accept(bytes);
  }

  async #used(maxAgeMs: number): Promise<Used> {
    const isFresh = performance.now() - this.#readAt < maxAgeMs;
    if (!isFresh || this.#storedOn !== this.#today()) await this.sync();
    return this.#now();
  }

  async #exchange(): Promise<void> {
    const { db, clock } = this.#parts;
    const now = clock.now();
    const bytes = this.#pendingBytes;
    const measure = { bytes, measureWithinMs: MEASURE_WITHIN_MS };
    if (this.isDirty) {
      this.#hasChanged = false;
      try {
        this.#take(await addUsage(db, this.#tenantId, now, measure));
        this.#pendingBytes -= bytes;
      } catch (error) {
        this.#hasChanged = true;
        throw error;
      }
      return;
    }
    const { isMeasured, ...usage } = await readUsage(db, this.#tenantId, now);
    const isNew = this.limits.storage !== undefined && !isMeasured;
    this.#take(isNew ? await addUsage(db, this.#tenantId, now, measure) : usage);
  }

  #take(usage: StoredUsage | undefined): void {
    if (!usage) return;
    this.#stored = usage;
    this.#storedOn = this.#today();
    this.#readAt = performance.now();
  }

  #now(): Used {
    const { storedBytes, mails, modelTokens } = this.#stored;
    return {
      storage: Math.max(0, storedBytes + this.#pendingBytes),
      mails,
      'model-tokens': modelTokens,
    };
  }

  #today(): string {
    return new Date(this.#parts.clock.now()).toISOString().slice(0, 10);
  }

  #refuse(quota: QuotaName, limit: number, used: number) {
    this.#parts.metrics.quotaRefusals.inc({ quota });
    return quotaUsedUp(quota, { limit, used, now: this.#parts.clock.now() });
  }
}
