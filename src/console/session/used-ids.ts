import type { Services } from '../../api/context.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';

/**
 * Ids that work no longer, in all processes: those of sign-in links that were used, and of sessions
 * that were signed out.
 */

/** @returns whether the id was not used before */
export async function useUp(
  { db }: Pick<Services, 'db'>,
  id: string,
  expiresAt: number,
): Promise<boolean> {
  const rows = await db.query(sql`
    INSERT INTO console_used_ids (id, expires_at) VALUES (${id}, ${new Date(expiresAt)})
    ON CONFLICT DO NOTHING RETURNING 1`);
  return rows.length > 0;
}

export async function deleteExpiredIds({ db, clock }: Pick<Services, 'clock'> & { db: Queryable }) {
  await db.query(sql`
    DELETE FROM console_used_ids /* background */ WHERE expires_at <= ${new Date(clock.now())}`);
}
