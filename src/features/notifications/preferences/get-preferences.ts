import type { KeyContext } from '../../../api/context.ts';
import { askedOf, readPreferences } from './preferences.ts';
import { requirePlaces } from './require-places.ts';
import type { Preference, PreferencesQuery } from './schema.ts';

/** What counts for each of the users, in the organization or on each of the documents. */
export async function getPreferences(
  ctx: KeyContext,
  input: PreferencesQuery,
): Promise<Preference[]> {
  const asked = await askedOf(ctx, input);
  return ctx.db.transaction(async (tx) => {
    await requirePlaces(ctx, tx, asked);
    return readPreferences(tx, asked);
  });
}
