import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { sql } from '../../platform/database/database.ts';
import { type AccessFacts, loadAccess } from '../access/load-access.ts';
import { showPerson } from '../users/show-person.ts';
import { inPlace, type PresencePlace } from './read-presence.ts';
import type { PresentedPresence } from './schema.ts';

/**
 * Returns a function that presents the presence of these users to the caller. API keys see everything.
 * Users see those fields of each other that `showPerson` shows. They see the stored name of another user only
 * if that user also has access to the document, but always a name that was set with the presence.
 *
 * @param facts access facts that are already loaded; they may cover only some of the users
 */
export async function createPresencePresenter(
  ctx: KeyContext,
  place: PresencePlace,
  users: readonly PresentedPresence[],
  facts?: AccessFacts,
): Promise<(user: PresentedPresence) => PresentedPresence> {
  if (ctx.userId === undefined) return (user) => user;
  const others = new Set(users.map(({ userId }) => userId));
  others.delete(ctx.userId);
  const idsToLoad = filterWithoutAccess(ctx, place, [...others], facts);
  const query = { ...place, userIds: idsToLoad, documentIds: [place.documentId], folderIds: [] };
  const loadedFacts = idsToLoad.length === 0 ? undefined : await loadAccess(ctx.db, query);
  const withoutAccess = filterWithoutAccess(ctx, place, idsToLoad, loadedFacts);
  const presenceNames = await loadPresenceNames(ctx, place, withoutAccess);
  return (user) => {
    const { name, status, ...person } = user;
    const shownName = withoutAccess.includes(user.userId) ? presenceNames.get(user.userId) : name;
    const known = { ...person, ...(shownName !== undefined && { name: shownName }) };
    return { ...showPerson(ctx, known), status };
  };
}

/** Returns the users who have no access to the document as far as these facts show. */
function filterWithoutAccess(
  { clock }: KeyContext,
  { documentId }: PresencePlace,
  userIds: string[],
  facts: AccessFacts | undefined,
): string[] {
  const now = unixSeconds(clock);
  return userIds.filter((userId) => !facts?.accessToDocument(userId, documentId, now)?.allowed);
}

/** Returns the names that were set with the presence of these users. */
async function loadPresenceNames({ db }: KeyContext, place: PresencePlace, userIds: string[]) {
  if (userIds.length === 0) return new Map<string, string>();
  const rows = await db.query<{ userId: string; name: string }>(sql`
    SELECT user_id AS "userId", name FROM presence
    WHERE ${inPlace(place)} AND user_id = ANY(${userIds}) AND name IS NOT NULL`);
  return new Map(rows.map(({ userId, name }) => [userId, name]));
}
