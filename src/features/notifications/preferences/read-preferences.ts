import type { KeyContext } from '../../../api/context.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { ownUserId } from '../../access/own-user.ts';
import { loadLevels, WHOLE_ORGANIZATION } from './load-levels.ts';
import type { Preference, PreferencesQuery } from './schema.ts';

/** The users and places whose preferences a call names. */
export interface PreferencePlaces {
  tenantId: string;
  organizationId: string;
  userIds: string[];
  /** `WHOLE_ORGANIZATION` is one of them. */
  documentIds: string[];
}

/**
 * The users and places that the query names. API keys have to name users; a user token stands for
 * its own user.
 *
 * @throws INVALID_ARGUMENT, PERMISSION_DENIED
 */
export async function placesIn(
  ctx: KeyContext,
  query: PreferencesQuery,
): Promise<PreferencePlaces> {
  const { organizationId, userId, userIds = [] } = query;
  const named = new Set(userId === undefined ? userIds : [userId, ...userIds]);
  const own = ctx.userId === undefined ? undefined : ownOf(ctx, named);
  const all = own === undefined ? [...named] : [own];
  if (all.length === 0) {
    const details = { issues: [{ path: 'userId', message: 'is required of API keys' }] };
    throw invalidArgument('userId: is required of API keys.', { details });
  }
  const documentIds = [...new Set(query.documentIds)];
  if (documentIds.length === 0) documentIds.push(WHOLE_ORGANIZATION);
  return { tenantId: ctx.tenantId, organizationId, userIds: all, documentIds };
}

/** Refuses every other user that is named. */
function ownOf(ctx: KeyContext, named: Set<string>) {
  const other = [...named].find((userId) => userId !== ctx.userId);
  return ownUserId(ctx, { userId: other });
}

/**
 * The effective preferences of each user on each document: those of the document, else those of the
 * organization, else ALL.
 */
export async function readPreferences(
  db: Queryable,
  { tenantId, organizationId, userIds, documentIds }: PreferencePlaces,
): Promise<Preference[]> {
  const asked = userIds.flatMap((userId) =>
    documentIds.map((documentId) => ({ organizationId, documentId, userId })),
  );
  const levels = await loadLevels(db, tenantId, asked);
  return mapInChunks(asked, (one) => ({
    userId: one.userId,
    ...(one.documentId !== WHOLE_ORGANIZATION && { documentId: one.documentId }),
    config: levels.of(one),
  }));
}
