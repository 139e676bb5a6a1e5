import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Limits, QuotaName } from './limits.ts';
import { quotaExceededError, quotaHeaders } from './quota-responses.ts';
import { addUsage, dayOf, giveBackMail, NO_USAGE, readUsage, type Usage } from './usage-rows.ts';

/** Headers may show usage that was read this long ago. */
const MAX_SHOWN_AGE_MS = 5_000;
/** Checks of new content may rely on usage that was read this long ago. */
const MAX_CHECKED_AGE_MS = 1_000;
/** After a change, storage is measured again within this time and the pause that `addUsage` adds. */
const MEASURE_WITHIN_MS = 15_000;

interface KeyQuotasDependencies {
  db: Queryable;
  clock: Clock;
  metrics: Metrics;
  /** Schedules writing the counters to the database. */
  flushSoon: () => void;
}

/** The usage of one key's quotas, as known to this process. */
export class KeyQuotas {
  limits: Limits;
  readonly #tenantId: string;
  readonly #deps: KeyQuotasDependencies;
  /** The usage in the database when it was last read. */
  #stored = NO_USAGE;
  /** The UTC day of this read. */
  #readOn = '';
  /** The time of this read, by `performance.now()`. */
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** Bytes that were counted and are not yet written to the database. */
  #pendingBytes = 0;
  /** Whether content has changed since the counters were last written, so that storage must be measured again. */
  #hasChanged = false;

  constructor(tenantId: string, limits: Limits, deps: KeyQuotasDependencies) {
    this.#tenantId = tenantId;
    this.limits = limits;
    this.#deps = deps;
  }

  /** Whether there are counters to write to the database. */
  get isDirty(): boolean {
    return this.#hasChanged || this.#pendingBytes !== 0;
  }

  /** Whether this object can be dropped without losing anything. */
  get isIdle(): boolean {
    return !this.isDirty && performance.now() - this.#readAt > MAX_SHOWN_AGE_MS;
  }

  /**
   * Returns the headers for a response. While the database is unavailable, they show the last known
   * usage.
   */
  async headers(): Promise<Record<string, string>> {
    await this.#refresh(MAX_SHOWN_AGE_MS).catch(() => undefined);
    return quotaHeaders(this.limits, this.#current(), this.#deps.clock.now());
  }

  /**
   * Runs a call that changes stored content. The added bytes are counted first, and taken back if the call fails.
   *
   * @param addedBytes the size of added content; undefined when nothing is added
   * @throws RESOURCE_EXHAUSTED when the content exceeds the storage quota
   */
  async runChange<Result extends { ok: boolean }>(
    addedBytes: number | undefined,
    call: () => Promise<Result>,
  ): Promise<Result> {
    if (this.limits.storage === undefined) return call();
    if (addedBytes !== undefined) await this.reserveStorage(addedBytes);
    let hasSucceeded = false;
    try {
      const result = await call();
      hasSucceeded = result.ok;
      return result;
    } finally {
      // The call may have replaced or deleted content too, which only a measurement shows.
      if (hasSucceeded) this.countBytes(0);
      else if (addedBytes !== undefined) this.countBytes(-addedBytes);
    }
  }

  /**
   * Counts bytes before they are stored.
   *
   * @throws RESOURCE_EXHAUSTED when they exceed the storage quota
   */
  async reserveStorage(bytes: number): Promise<void> {
    const { storage: limit } = this.limits;
    if (limit === undefined) return;
    await this.#refresh(MAX_CHECKED_AGE_MS);
    // From here on nothing is awaited, so that concurrent calls cannot all use the same remaining storage.
    const { storage: used } = this.#current();
    // At the limit, an empty file is refused too.
    if (used >= limit || used + bytes > limit) throw this.#countRefusal('storage', limit, used);
    this.countBytes(bytes);
  }

  /** Counts stored bytes, and has the storage measured again. */
  countBytes(bytes: number): void {
    if (this.limits.storage === undefined) return;
    this.#pendingBytes += bytes;
    this.#hasChanged = true;
    this.#deps.flushSoon();
  }

  async isStorageUsedUp(): Promise<boolean> {
    const { storage } = this.limits;
    if (storage === undefined) return false;
    await this.#refresh(MAX_CHECKED_AGE_MS);
    return this.#current().storage >= storage;
  }

  /**
   * Requires remaining model tokens before a call. A running call may exceed the quota.
   *
   * @throws RESOURCE_EXHAUSTED when today's tokens are used up
   */
  async requireModelTokens(): Promise<void> {
    const { 'model-tokens': limit } = this.limits;
    if (limit === undefined) return;
    await this.#refresh(0);
    const { 'model-tokens': used } = this.#current();
    if (used >= limit) throw this.#countRefusal('model-tokens', limit, used);
  }

  async spendModelTokens(tokens: number): Promise<void> {
    if (this.limits['model-tokens'] === undefined || tokens === 0) return;
    const { db, clock } = this.#deps;
    this.#setStored(await addUsage(db, this.#tenantId, clock.now(), { modelTokens: tokens }));
  }

  /**
   * Counts an email, unless today's quota is used up. The count is exact across processes.
   *
   * @returns whether the email may be sent
   */
  async takeMail(): Promise<boolean> {
    const { mails } = this.limits;
    if (mails === undefined) return true;
    const { db, clock } = this.#deps;
    const usage = await addUsage(db, this.#tenantId, clock.now(), { mails: 1 }, mails);
    if (usage) this.#setStored(usage);
    else this.#deps.metrics.quotaRefusals.inc({ quota: 'mails' });
    return usage !== undefined;
  }

  /**
   * Takes back the count of an email that could not be sent.
   *
   * @param takenAt the time of counting; the count of another day is not changed
   */
  async giveBackMail(takenAt: number): Promise<void> {
    if (this.limits.mails !== undefined) {
      await giveBackMail(this.#deps.db, this.#tenantId, takenAt);
    }
  }

  /** Writes the counters to the database, and reads the usage of all processes. */
  async sync(): Promise<void> {
    this.#reading ??= this.#writeOrRead().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /** Makes sure that the known usage is of today, and not older than this. */
  async #refresh(maxAgeMs: number): Promise<void> {
    const isFresh = performance.now() - this.#readAt < maxAgeMs;
    if (!isFresh || this.#readOn !== this.#today()) await this.sync();
  }

  async #writeOrRead(): Promise<void> {
    if (this.isDirty) return this.#writeChange();
    const { db, clock } = this.#deps;
    const { isMeasurementScheduled, ...usage } = await readUsage(db, this.#tenantId, clock.now());
    // Content that was stored before the key had a quota is measured once.
    if (this.limits.storage !== undefined && !isMeasurementScheduled) return this.#writeChange();
    this.#setStored(usage);
  }

  /** Adds the pending bytes to the usage in the database, and schedules measuring the storage. */
  async #writeChange(): Promise<void> {
    const { db, clock } = this.#deps;
    const bytes = this.#pendingBytes;
    const change = { bytes, measureWithinMs: MEASURE_WITHIN_MS };
    const hadChanged = this.#hasChanged;
    this.#hasChanged = false;
    try {
      this.#setStored(await addUsage(db, this.#tenantId, clock.now(), change));
      this.#pendingBytes -= bytes;
    } catch (error) {
      this.#hasChanged ||= hadChanged;
      throw error;
    }
  }

  #setStored(usage: Usage | undefined): void {
    if (!usage) return;
    this.#stored = usage;
    this.#readOn = this.#today();
    this.#readAt = performance.now();
  }

  #current(): Usage {
    const storage = Math.max(0, this.#stored.storage + this.#pendingBytes);
    return { ...this.#stored, storage };
  }

  #today(): string {
    return dayOf(this.#deps.clock.now());
  }

  /** Counts a refusal, and returns its error. */
  #countRefusal(quota: QuotaName, limit: number, used: number) {
    this.#deps.metrics.quotaRefusals.inc({ quota });
    return quotaExceededError(quota, { limit, used, now: this.#deps.clock.now() });
  }
}
