import { type Sql, sql } from '../../platform/database/database.ts';
import { changePresence, type PresenceParts } from './change-presence.ts';
import type { PresencePlace } from './read-presence.ts';
import { goneBefore, timedOutBefore } from './timeouts.ts';

/** What a caller says about a user. Fields that are left out keep their value. */
export interface SaidPresence {
  userId: string;
  name?: string | undefined;
  email?: string | undefined;
  status: string;
}

/** Sets the presence of users, each named once. One statement renews what stays as it is. */
export async function setPresence(
  parts: PresenceParts,
  place: PresencePlace,
  users: SaidPresence[],
): Promise<void> {
  const now = parts.clock.now();
  const said = sql`
    jsonb_to_recordset(${JSON.stringify(users)}::jsonb) AS said(
      "userId" text, name text, email text, status text)`;
  const renewed = await parts.db.write(renewal(place, said, now));
  if (renewed.length === users.length) return;
  const userIds = users.map(({ userId }) => userId);
  await changePresence(parts, place, userIds, [setting(place, said, now)]);
}

/**
 * SQL that renews the users whose presence stays as it is. It needs no lock of the document, since
 * nothing looks different afterwards. Rows that others are writing are left to `changePresence`.
 */
const renewal = (place: PresencePlace, said: Sql, now: number): Sql => sql`
  WITH unchanged AS MATERIALIZED (
    SELECT user_id FROM presence JOIN ${said} ON said."userId" = presence.user_id
    WHERE ${here(place)} AND seen_at > ${timedOutBefore(now)} AND NOT lapsed
      AND presence.status = said.status
      AND (said.name IS NULL OR presence.name = said.name)
      AND (said.email IS NULL OR presence.email = said.email)
    FOR NO KEY UPDATE OF presence SKIP LOCKED
  )
  UPDATE presence SET seen_at = ${new Date(now)}
  WHERE ${here(place)} AND user_id IN (SELECT user_id FROM unchanged)
  RETURNING user_id`;

/** SQL. An expired entry may not have been deleted yet; its name must not be used again. */
const setting = (place: PresencePlace, said: Sql, now: number): Sql => sql`
  INSERT INTO presence (tenant_id, organization_id, document_id, user_id, name, email, status,
    seen_at)
  SELECT ${place.tenantId}, ${place.organizationId}, ${place.documentId}, "userId", name, email,
         status, ${new Date(now)}
  FROM ${said} ORDER BY "userId"
  ON CONFLICT (tenant_id, organization_id, document_id, user_id) DO UPDATE SET
    status = excluded.status, seen_at = excluded.seen_at, lapsed = false,
    name = COALESCE(excluded.name, CASE WHEN presence.seen_at > ${goneBefore(now)}
                                   THEN presence.name END),
    email = COALESCE(excluded.email, CASE WHEN presence.seen_at > ${goneBefore(now)}
                                     THEN presence.email END)`;

const here = ({ tenantId, organizationId, documentId }: PresencePlace): Sql => sql`
  tenant_id = ${tenantId} AND organization_id = ${organizationId} AND document_id = ${documentId}`;
