import type { Services } from '../../api/context.ts';
import { type Queryable, sql } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';

const LINK_LIFETIME_MS = 10 * 60_000;
const SEAL_CONTEXT = 'console sign-in link';

interface Link {
  id: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/**
 * Returns a link that signs in the administrator, once. The secret is in the fragment of the link, which browsers do
 * not send, so no proxy logs it.
 */
export function signInLink({ config, secrets, clock }: Services): string {
  const link: Link = { id: newId(), expiresAt: clock.now() + LINK_LIFETIME_MS };
  return `${config.publicUrl}/console/sign-in#${secrets.seal(JSON.stringify(link), SEAL_CONTEXT)}`;
}

/** Accepts a link once, whichever process receives it. @returns whether it was valid */
export async function redeemSignInLink(services: Services, sealed: string): Promise<boolean> {
  const link = services.secrets.openJson<Link>(sealed, SEAL_CONTEXT);
  if (!link || link.expiresAt <= services.clock.now()) return false;
  // The id is kept for longer than the link is valid, since a process that was suspended may check the link late.
  return markUsed(services, link.id, link.expiresAt + LINK_LIFETIME_MS);
}

/**
 * Records that a sign-in link was used, or that the user of a session has signed out.
 *
 * @returns whether the id had not been used before
 */
export async function markUsed(
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
