import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { sql } from '../../platform/database/database.ts';
import { type AccessFacts, loadAccess } from '../access/load-access.ts';
import { showPerson } from '../users/show-person.ts';
import { inPlace, type PresencePlace } from './read-presence.ts';
import type { PresentedPresence } from './schema.ts';

/**
 * Decides how the caller sees the presence of these users. API keys see everything. Users see each
 * other as `showPerson` shows people, and the stored name of somebody only if that person has access
 * to the document as well; a name that was set with the presence is shown in any case.
 *
 * @param facts access facts that are loaded already, which may cover some of the users
 */
export async function presenceFor(
  ctx: KeyContext,
  place: PresencePlace,
  users: readonly PresentedPresence[],
  facts?: AccessFacts,
): Promise<(user: PresentedPresence) => PresentedPresence> {
  if (ctx.userId === undefined) return (user) => user;
  const others = new Set(users.map(({ userId }) => userId));
  others.delete(ctx.userId);
  const unsure = withoutAccess(ctx, place, [...others], facts);
  const strangers = withoutAccess(ctx, place, unsure, await loadFacts(ctx, place, unsure));
  const namesSet = await loadNamesSet(ctx, place, strangers);
  return (user) => {
    const { name, status, ...person } = user;
    const shownName = strangers.includes(user.userId) ? namesSet.get(user.userId) : name;
    const known = { ...person, ...(shownName !== undefined && { name: shownName }) };
    return { ...showPerson(ctx, known), status };
  };
}

/** Returns the users who have no access to the document, by these facts. */
function withoutAccess(
  { clock }: KeyContext,
  { documentId }: PresencePlace,
  userIds: string[],
  facts: AccessFacts | undefined,
): string[] {
  const now = unixSeconds(clock);
  return userIds.filter((userId) => !facts?.document(userId, documentId, now)?.allowed);
}

async function loadFacts(
  { db }: KeyContext,
  { tenantId, organizationId, documentId }: PresencePlace,
  userIds: string[],
): Promise<AccessFacts | undefined> {
  if (userIds.length === 0) return undefined;
  const documentIds = [documentId];
  return loadAccess(db, { tenantId, organizationId, userIds, documentIds, folderIds: [] });
}

/** The names that were set with the presence of these users. */
async function loadNamesSet({ db }: KeyContext, place: PresencePlace, userIds: string[]) {
  if (userIds.length === 0) return new Map();
  const rows = await db.query<{ userId: string; name: string }>(sql`
    SELECT user_id AS "userId", name FROM presence
    WHERE ${inPlace(place)} AND user_id = ANY(${userIds}) AND name IS NOT NULL`);
  return new Map(rows.map(({ userId, name }) => [userId, name]));
}
