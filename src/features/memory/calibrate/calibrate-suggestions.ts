import type { Services } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { SCORE_VERSION } from '../suggest/probability.ts';
import { fitSlope } from './fit-slope.ts';
import { leaveOneOut } from './leave-one-out.ts';

type Context = Pick<Services, 'db' | 'clock' | 'log'>;

/** Longer than a fit can take, so that no other process repeats it; and the pause after a failure. */
const LEASE_MS = 15 * 60_000;

/** SQL: when the next key is due. */
export const nextCalibrationDue = () => sql`SELECT min(due_ms) FROM memory_calibrations`;

/**
 * Fits how scores become probabilities, for every key with new judgments. The result is stored, so
 * that every process answers alike.
 */
export async function calibrateSuggestions(ctx: Context): Promise<void> {
  for (let tenantId = await claimNext(ctx); tenantId; tenantId = await claimNext(ctx)) {
    try {
      await calibrate(ctx, tenantId);
    } catch (error) {
      // The lease ends later, which repeats the fit without keeping the other keys waiting.
      ctx.log.warn({ err: error, apiKey: tenantId }, 'Suggestions could not be calibrated.');
    }
  }
}

/** Takes a lease instead of a lock, so that no transaction stays open meanwhile. */
async function claimNext({ db, clock }: Context): Promise<string | undefined> {
  const now = clock.now();
  const [due] = await db.query<{ tenantId: string }>(sql`
    UPDATE memory_calibrations SET due_ms = ${now + LEASE_MS}::bigint
    WHERE tenant_id = (
      SELECT tenant_id FROM memory_calibrations /* all tenants, background */
      WHERE due_ms <= ${now}::bigint ORDER BY due_ms LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING tenant_id AS "tenantId"`);
  return due?.tenantId;
}

async function calibrate({ db, clock }: Context, tenantId: string): Promise<void> {
  const examples = await leaveOneOut(db, tenantId);
  await db.query(sql`
    UPDATE memory_calibrations
    SET version = ${SCORE_VERSION}::int, slope = ${fitSlope(examples)}::float8,
      examples = ${examples.length}::int, fitted_ms = ${clock.now()}::bigint, due_ms = NULL
    WHERE tenant_id = ${tenantId}`);
}
