import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { verifyActivities } from './verify-activities.ts';

/** A chain is verified once a day, and one that is broken every hour. */
const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
/** No chain is begun after this time of a pass, so that others have the database, too. */
const BUDGET_MS = 5_000;

interface Chain {
  tenantId: string;
  organizationId: string;
}

/** Verifies the chains of all organizations in turn, and stores where they are broken. */
export async function verifyChains({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < BUDGET_MS) {
    const now = clock.now();
    // Several processes do this: whoever takes a chain has it for the day.
    const [chain] = await db.query<Chain>(sql`
      UPDATE activity_chains SET verified_at = ${new Date(now)}
      WHERE (tenant_id, organization_id) = (
        SELECT tenant_id, organization_id FROM activity_chains /* all tenants, background */
        WHERE verified_at IS NULL OR verified_at < ${new Date(now - DAY_MS)}
          OR (broken_at IS NOT NULL AND verified_at < ${new Date(now - HOUR_MS)})
        ORDER BY verified_at NULLS FIRST LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING tenant_id AS "tenantId", organization_id AS "organizationId"`);
    if (!chain) return;
    const { tenantId, organizationId } = chain;
    const brokenAt = await positionOfBreak({ db, tenantId }, organizationId);
    await db.query(sql`
      UPDATE activity_chains SET broken_at = ${brokenAt}
      WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        AND broken_at IS DISTINCT FROM ${brokenAt}::bigint`);
  }
}

async function positionOfBreak(
  ctx: Parameters<typeof verifyActivities>[0],
  organizationId: string,
): Promise<number | null> {
  try {
    const { problem } = await verifyActivities(ctx, { organizationId });
    return problem?.position ?? null;
  } catch (error) {
    // The organization is being deleted.
    if (error instanceof AppError && error.status === 'NOT_FOUND') return null;
    throw error;
  }
}
