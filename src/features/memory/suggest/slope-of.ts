import { type Queryable, sql } from '../../../platform/database/database.ts';
import { SCORE_VERSION, USUAL_SLOPE } from './probability.ts';

/** The slope that was fitted to the tenant's judgments, or the usual one. */
export async function slopeOf(db: Queryable, tenantId: string): Promise<number> {
  const [fitted] = await db.query<{ slope: number }>(sql`
    SELECT slope FROM memory_calibrations
    WHERE tenant_id = ${tenantId} AND version = ${SCORE_VERSION}::int`);
  return fitted?.slope ?? USUAL_SLOPE;
}
