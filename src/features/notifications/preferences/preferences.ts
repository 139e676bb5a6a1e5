import type { KeyContext } from '../../../api/context.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { retryOnViolation } from '../../../platform/database/lost-races.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { type PreferencePlaces, placesIn, readPreferences } from './read-preferences.ts';
import { requirePlaces } from './require-places.ts';
import type { Preference, PreferencesQuery, SetPreferencesInput } from './schema.ts';

/** The effective preferences of each user, in the organization or on each of the documents. */
export async function getPreferences(
  ctx: KeyContext,
  input: PreferencesQuery,
): Promise<Preference[]> {
  const places = await placesIn(ctx, input);
  return ctx.db.transaction(async (tx) => {
    await requirePlaces(ctx, tx, places);
    return readPreferences(tx, places);
  });
}

/**
 * Sets the given preferences for each user, in the organization or on each of the documents.
 *
 * @throws INVALID_ARGUMENT (user_not_found) when one of the users does not exist.
 */
export async function setPreferences(
  ctx: KeyContext,
  { config, ...query }: SetPreferencesInput,
): Promise<Preference[]> {
  const places = await placesIn(ctx, query);
  return ctx.db.transaction(async (tx) => {
    await requirePlaces(ctx, tx, places);
    await requireUsers(tx, places);
    await save(tx, places, config);
    return readPreferences(tx, places);
  });
}

/** Locks the users against deletion until the transaction ends. */
async function requireUsers(
  tx: Transaction,
  { tenantId, userIds }: PreferencePlaces,
): Promise<void> {
  const found = await tx.query<{ userId: string }>(sql`
    SELECT user_id AS "userId" FROM users
    WHERE tenant_id = ${tenantId} AND user_id = ANY(${userIds})
    ORDER BY user_id FOR KEY SHARE`);
  const known = new Set(found.map(({ userId }) => userId));
  const unknown = userIds.find((userId) => !known.has(userId));
  if (unknown === undefined) return;
  throw invalidArgument(`The user ${unknown} does not exist.`, { reason: 'user_not_found' });
}

/** Writes in the order of ids, so that concurrent calls cannot deadlock. */
async function save(
  tx: Transaction,
  { tenantId, organizationId, userIds, documentIds }: PreferencePlaces,
  { inbox, email }: SetPreferencesInput['config'],
): Promise<void> {
  const writing = tx.query(sql`
    INSERT INTO notification_preferences
      (tenant_id, organization_id, user_id, document_id, inbox, email)
    SELECT ${tenantId}, ${organizationId}, user_id, document_id, ${inbox ?? null}, ${email ?? null}
    FROM unnest(${userIds}::text[]) AS user_id, unnest(${documentIds}::text[]) AS document_id
    ORDER BY user_id, document_id
    ON CONFLICT (tenant_id, organization_id, user_id, document_id) DO UPDATE SET
      inbox = COALESCE(excluded.inbox, notification_preferences.inbox),
      email = COALESCE(excluded.email, notification_preferences.email)`);
  await retryOnViolation(writing, ['notification_preferences_tenant_id_organization_id_fkey']);
}
