import { type Clock, unixSeconds } from '../../platform/clock.ts';
import { type Database, type Queryable, sql } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { FailedCredentials } from './failed-credentials.ts';
import { tokenRefused, type UserClaims } from './user-tokens.ts';

/**
 * A stream ticket opens one subscription in place of a user token, since a browser's EventSource
 * sends no headers, and proxies log URLs. The ticket is encrypted, so it shows no ids.
 */
interface Ticket {
  id: string;
  /** The claims of the token that the ticket was issued for. The ticket expires no later than that token. */
  claims: UserClaims;
  /** Unix seconds. */
  expiresAt: number;
}

const LIFETIME_SECONDS = 60;
/** How long used tickets are kept after they expire: a process that was suspended may look one up late. */
const KEPT_SECONDS = 600;
const SEAL_CONTEXT = 'stream ticket';

interface StreamTicket {
  ticket: string;
  /** Unix seconds. */
  expiresAt: number;
}

export function issueStreamTicket(
  { secrets, clock }: { secrets: Secrets; clock: Clock },
  claims: UserClaims,
): StreamTicket {
  const expiresAt = Math.min(unixSeconds(clock) + LIFETIME_SECONDS, claims.expiresAt);
  const ticket: Ticket = { id: newId(), claims, expiresAt };
  return { ticket: secrets.seal(JSON.stringify(ticket), SEAL_CONTEXT), expiresAt };
}

interface RedeemContext {
  db: Database;
  secrets: Secrets;
  clock: Clock;
  failedCredentials: FailedCredentials;
  address(): string;
}

/**
 * Accepts a ticket once, whichever process receives it.
 *
 * @returns the claims of its token, which must still be checked in the database
 * @throws PERMISSION_DENIED (TICKET_INVALID); RESOURCE_EXHAUSTED after too many forged tickets
 */
export async function redeemStreamTicket(ctx: RedeemContext, text: string): Promise<UserClaims> {
  const ticket = ctx.secrets.openJson<Ticket>(text, SEAL_CONTEXT);
  if (!ticket) {
    const attempt = { address: ctx.address(), level: 'userToken', key: '' } as const;
    throw ctx.failedCredentials.refuse(attempt, tokenRefused('TICKET_INVALID'));
  }
  const { id, claims, expiresAt } = ticket;
  if (expiresAt <= unixSeconds(ctx.clock)) throw tokenRefused('TICKET_INVALID');
  const db = ctx.db.for({ name: `credentials ${claims.tenantId}` });
  const rows = await db.query(sql`
    INSERT INTO used_stream_tickets /* credentials */ (tenant_id, ticket_id, expires_at)
    VALUES (${claims.tenantId}, ${id}, ${new Date((expiresAt + KEPT_SECONDS) * 1000)})
    ON CONFLICT DO NOTHING RETURNING 1`);
  if (rows.length === 0) throw tokenRefused('TICKET_INVALID');
  return claims;
}

/** Deletes used tickets that expired `KEPT_SECONDS` ago. */
export async function deleteUsedTickets({ db, clock }: { db: Queryable; clock: Clock }) {
  await db.query(sql`
    DELETE FROM used_stream_tickets /* all tenants, background */
    WHERE expires_at <= ${new Date(clock.now())}`);
}
