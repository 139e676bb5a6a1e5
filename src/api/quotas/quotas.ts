import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { BackgroundLoop, type LoopDependencies } from '../../platform/loops/background-loop.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { KeyQuotas } from './key-quotas.ts';
import { limitsOf, type OwnQuotas, QUOTA_NAMES, type QuotaSettings } from './limits.ts';

/** The interval at which counters are written to the database, where other processes read them. */
const FLUSH_MS = 1_000;
const NOT_WRITTEN = 'The usage of an API key could not be written yet.';
/** From this number of keys on, those that are no longer in use are dropped. */
const MANY_KEYS = 10_000;

interface QuotasDependencies extends LoopDependencies {
  db: Database;
  clock: Clock;
  metrics: Metrics;
  defaults: QuotaSettings;
}

/**
 * The quotas of all keys for storage, emails and model tokens. A key without quotas needs no database
 * query and no memory here.
 */
export class Quotas {
  readonly defaults: QuotaSettings;
  readonly #deps: QuotasDependencies;
  readonly #byKey = new Map<string, KeyQuotas>();
  readonly #loop: BackgroundLoop;

  constructor(deps: QuotasDependencies) {
    this.#deps = deps;
    this.defaults = deps.defaults;
    this.#loop = new BackgroundLoop(deps, {
      name: 'quotas',
      run: () => this.#flush(),
      failure: NOT_WRITTEN,
    });
    this.#loop.start();
    // Start at 0, since Prometheus sees no increase in a counter that begins with its first refusal.
    for (const quota of QUOTA_NAMES) deps.metrics.quotaRefusals.inc({ quota }, 0);
  }

  /** Returns the quotas of a key with these settings; undefined when it has none. */
  of(tenantId: string, keySettings: OwnQuotas): KeyQuotas | undefined {
    const limits = limitsOf(this.defaults, keySettings);
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
    // Counters use a database queue of their own, so that slow calls of the key do not delay them.
    const db = this.#deps.db.for({ name: `quotas ${tenantId}` });
    const flushSoon = () => this.#loop.wake(FLUSH_MS);
    const quotas = new KeyQuotas(tenantId, limits, { ...this.#deps, db, flushSoon });
    this.#byKey.set(tenantId, quotas);
    return quotas;
  }

  /** Returns the quotas of a key that was used recently; undefined for any other key. */
  known(tenantId: string): KeyQuotas | undefined {
    return this.#byKey.get(tenantId);
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#flush().catch((err) => this.#deps.log.warn({ err }, NOT_WRITTEN));
  }

  async #flush(): Promise<void> {
    for (const quotas of this.#byKey.values()) {
      if (quotas.isDirty) await quotas.sync();
      // Changes during `sync` wait for the next run.
      if (quotas.isDirty) this.#loop.wake(FLUSH_MS);
    }
  }

  #forgetIdle(): void {
    for (const [tenantId, quotas] of this.#byKey) {
      if (quotas.isIdle) this.#byKey.delete(tenantId);
    }
  }
}
