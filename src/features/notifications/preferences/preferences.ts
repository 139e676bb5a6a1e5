import type { KeyContext } from '../../../api/context.ts';
import { mapInChunks } from '../../../platform/chunks.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { retryOnViolation } from '../../../platform/database/lost-races.ts';
import { AppError, invalidArgument } from '../../../platform/errors.ts';
import { allows } from '../../access/access.ts';
import { loadAccess } from '../../access/load-access.ts';
import { namedDocuments } from '../../access/named-documents.ts';
import { requireOwnUserId } from '../../access/own-user.ts';
import { placeNotFound } from '../../access/places.ts';
import { lockExistingUsers } from '../../access/users/users.ts';
import {
  requireOrganization,
  requireReadableOrganization,
} from '../../directory/organizations/organizations.ts';
import { loadLevels, WHOLE_ORGANIZATION } from './load-levels.ts';
import type { Preference, PreferencesQuery, SetPreferencesInput } from './schema.ts';

/** The users and places whose preferences a call names. */
interface Targets {
  tenantId: string;
  organizationId: string;
  userIds: string[];
  /** Empty for the whole organization. */
  documentIds: string[];
}

/**
 * Returns the effective preferences of each user, in the organization or on each of the documents.
 *
 * @throws INVALID_ARGUMENT, also for unknown places (…_not_found); PERMISSION_DENIED for users
 */
export function getPreferences(ctx: KeyContext, query: PreferencesQuery): Promise<Preference[]> {
  const targets = targetsOf(ctx, query);
  return ctx.db.transaction(async (tx) => {
    await requireTargets(ctx, tx, targets, requireReadableOrganization);
    return readPreferences(tx, targets);
  });
}

/**
 * Sets preferences of each user, and returns those that are in effect afterwards.
 *
 * @throws INVALID_ARGUMENT, also for unknown places and users (…_not_found); PERMISSION_DENIED for users
 */
export function setPreferences(ctx: KeyContext, input: SetPreferencesInput): Promise<Preference[]> {
  const targets = targetsOf(ctx, input);
  return ctx.db.transaction(async (tx) => {
    await requireTargets(ctx, tx, targets, requireOrganization);
    await savePreferences(tx, targets, input.config);
    return readPreferences(tx, targets);
  });
}

/** Returns the targets of a call. API keys must name users; a user token may name only its own user, or none. */
function targetsOf(ctx: KeyContext, query: PreferencesQuery): Targets {
  const { organizationId, userId, userIds = [] } = query;
  const named = userId === undefined ? userIds : [userId, ...userIds];
  const ids = named.length === 0 ? [undefined] : named;
  return {
    tenantId: ctx.tenantId,
    organizationId,
    userIds: [...new Set(ids.map((id) => requireOwnUserId(ctx, { userId: id })))],
    documentIds: [...new Set(query.documentIds)],
  };
}

/**
 * Requires that the places exist, and that the user of a token may view the documents. Locks the
 * documents against deletion until the transaction ends. Every user may have preferences for the whole
 * organization, because guests of one document need them too.
 */
async function requireTargets(
  ctx: KeyContext,
  tx: Transaction,
  targets: Targets,
  requireTheOrganization: typeof requireOrganization,
): Promise<void> {
  const { tenantId, organizationId, userIds, documentIds } = targets;
  if (ctx.userId !== undefined) {
    const facts = await loadAccess(tx, { ...targets, folderIds: [] });
    const now = unixSeconds(ctx.clock);
    const isVisible = (userId: string) =>
      documentIds.every((documentId) =>
        allows(facts.accessToDocument(userId, documentId, now), 'viewer'),
      );
    if (!facts.organizationExists || !userIds.every(isVisible))
      throw new AppError(
        'PERMISSION_DENIED',
        'You do not have access to this organization or document.',
      );
  }
  await requireTheOrganization(tx, tenantId, organizationId);
  const found = await tx.query(sql`
    SELECT 1 FROM ${namedDocuments(targets, documentIds, sql`FOR KEY SHARE`)} d`);
  if (found.length < documentIds.length) throw placeNotFound('document');
}

const placeIdsOf = ({ documentIds }: Targets) =>
  documentIds.length > 0 ? documentIds : [WHOLE_ORGANIZATION];

/** Writes preferences, in the order of ids, so that concurrent calls cannot deadlock. */
async function savePreferences(
  tx: Transaction,
  targets: Targets,
  { inbox, email }: SetPreferencesInput['config'],
): Promise<void> {
  const { tenantId, organizationId, userIds } = targets;
  await requireUsers(tx, targets);
  const writing = tx.query(sql`
    INSERT INTO notification_preferences
      (tenant_id, organization_id, user_id, document_id, inbox, email)
    SELECT ${tenantId}, ${organizationId}, user_id, document_id, ${inbox ?? null}, ${email ?? null}
    FROM unnest(${userIds}::text[]) AS user_id,
         unnest(${placeIdsOf(targets)}::text[]) AS document_id
    ORDER BY user_id, document_id
    ON CONFLICT (tenant_id, organization_id, user_id, document_id) DO UPDATE SET
      inbox = COALESCE(excluded.inbox, notification_preferences.inbox),
      email = COALESCE(excluded.email, notification_preferences.email)`);
  await retryOnViolation(writing, ['notification_preferences_tenant_id_organization_id_fkey']);
}

/** Requires that the users exist, and locks them against deletion until the transaction ends. */
async function requireUsers(tx: Transaction, { tenantId, userIds }: Targets): Promise<void> {
  const known = await lockExistingUsers(tx, tenantId, userIds);
  const unknown = userIds.find((userId) => !known.has(userId));
  if (unknown === undefined) return;
  throw invalidArgument(`The user ${unknown} does not exist.`, { reason: 'user_not_found' });
}

/** Reads the effective preferences: those for the document, else those for the organization, else ALL. */
async function readPreferences(tx: Transaction, targets: Targets): Promise<Preference[]> {
  const { tenantId, organizationId, userIds } = targets;
  const users = userIds.flatMap((userId) =>
    placeIdsOf(targets).map((documentId) => ({ organizationId, documentId, userId })),
  );
  const levelsOf = await loadLevels(tx, tenantId, users);
  return mapInChunks(users, (user) => ({
    userId: user.userId,
    ...(user.documentId !== WHOLE_ORGANIZATION && { documentId: user.documentId }),
    config: levelsOf(user),
  }));
}
