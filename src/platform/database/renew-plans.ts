import type { Pool, PoolClient } from 'pg';
import { sendTogether } from './send-together.ts';

/** Planning a statement again takes less than a millisecond, so it may be done this often. */
export const PLAN_LIFETIME_MS = 10_000;

/**
 * Lets connections plan their prepared statements anew from time to time. PostgreSQL keeps a plan
 * with its connection until the table is analyzed, often a minute later. A plan that was made while
 * the table was small reads it as a whole, and the table may have grown a thousandfold by then.
 */
export function renewPlans(pool: Pool, lifetimeMs: number): void {
  const plannedAt = new WeakMap<PoolClient, number>();
  pool.on('connect', (client) => plannedAt.set(client, performance.now()));
  pool.on('acquire', (client) => {
    const now = performance.now();
    if (now - (plannedAt.get(client) ?? now) < lifetimeMs) return;
    plannedAt.set(client, now);
    sendTogether(client);
    // On a lost connection, the statement that follows fails too.
    client.query('DISCARD PLANS').catch(() => undefined);
  });
}
