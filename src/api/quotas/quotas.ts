import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { KeyQuotas } from './key-quotas.ts';
import { limitsOf, type OwnQuotas, type QuotaSettings } from './limits.ts';

/** Within that time other processes know what this one has accepted. */
const FLUSH_MS = 1_000;
const MANY_KEYS = 10_000;

interface Parts {
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  defaults: QuotaSettings;
}

/**
 * What each key may store, mail and spend on models. A key without a quota costs nothing here: no
 * statement, no memory.
 */
export class Quotas {
  readonly defaults: QuotaSettings;
  readonly #parts: Parts;
  readonly #byKey = new Map<string, KeyQuotas>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.defaults = parts.defaults;
  }

  /** The quotas of a key with these settings of its own; nothing when it has none. */
  of(tenantId: string, own: OwnQuotas): KeyQuotas | undefined {
    const limits = limitsOf(this.defaults, own);
    const known = this.#byKey.get(tenantId);
    if (!limits) {
      if (known) this.#byKey.delete(tenantId);
      return undefined;
    }
    if (known) {
      known.limits = limits;
      return known;
    }
    if (this.#byKey.size >= MANY_KEYS) this.#forgetIdle();
    // In a line of its own: calls of the key that take long do not hold up what is counted.
    const db = this.#parts.db.for({ name: `quotas ${tenantId}` });
    const flushSoon = () => this.#flushSoon();
    const quotas = new KeyQuotas(tenantId, limits, { ...this.#parts, db, flushSoon });
    this.#byKey.set(tenantId, quotas);
    return quotas;
  }

  /** Those of a key that was asked about lately. */
  known(tenantId: string): KeyQuotas | undefined {
    return this.#byKey.get(tenantId);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#flush();
    clearTimeout(this.#timer);
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => void this.#flush(), FLUSH_MS).unref();
  }

  async #flush(): Promise<void> {
    this.#timer = undefined;
    for (const quotas of this.#byKey.values()) {
      if (!quotas.isDirty) continue;
      try {
        await quotas.sync();
        // What came while a look at the usage was under way waits for the next time.
        if (quotas.isDirty) this.#flushSoon();
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'What was stored is counted later.');
        return this.#flushSoon();
      }
    }
  }

  #forgetIdle(): void {
    for (const [tenantId, quotas] of this.#byKey) {
      if (quotas.isIdle) this.#byKey.delete(tenantId);
    }
  }
}
