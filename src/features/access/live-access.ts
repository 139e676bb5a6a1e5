import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Audience, SubscriberCursor } from '../../platform/live-bus/subscribers.ts';
import { type AccessFacts, loadAccess, loadAccessTo } from './load-access.ts';
import { type DocumentRef, placeNotFound } from './places.ts';
import { requireKnown } from './require-access.ts';

/** Returns the access facts of all subscribers in the organization, which are loaded together. */
export const factsFor = (
  { db }: Pick<KeyContext, 'db'>,
  cursor: SubscriberCursor,
): Promise<AccessFacts> =>
  cursor.facts((audience: Audience) => loadAccess(db, { ...audience, folderIds: [] }));

/**
 * Requires that the caller may subscribe to the document, and stores in the cursor when access ends.
 *
 * @throws as `recheckLiveAccess`
 */
export async function requireLiveAccess(
  ctx: KeyContext,
  place: DocumentRef,
  cursor: SubscriberCursor,
): Promise<void> {
  // For an API key this looks up the place alone, since no user has an empty id.
  const { tenantId, userId = '' } = ctx;
  const facts = await loadAccessTo(ctx.db, { tenantId, userId }, place);
  recheckLiveAccess(ctx, facts, place, cursor);
}

/**
 * Requires the same as `requireLiveAccess`, by access facts that are loaded already.
 *
 * @throws PERMISSION_DENIED to users; to API keys INVALID_ARGUMENT (…_not_found)
 */
export function recheckLiveAccess(
  { userId, clock }: KeyContext,
  facts: AccessFacts,
  place: DocumentRef,
  cursor: SubscriberCursor,
): void {
  if (userId === undefined) {
    requireKnown(facts, place);
    return;
  }
  const access = facts.accessToDocument(userId, place.documentId, unixSeconds(clock));
  if (!access?.allowed) {
    throw new AppError('PERMISSION_DENIED', 'You have no access to this document.');
  }
  cursor.accessEndsAt = access.grant?.expiresAt ?? undefined;
}

/**
 * Requires, for an API key, that the organization exists. A user cannot find out whether it does: a
 * missing organization has an empty inbox, like any other in which the user has nothing.
 *
 * @throws INVALID_ARGUMENT (organization_not_found) to API keys.
 */
export function recheckOrganization({ userId }: KeyContext, facts: AccessFacts): void {
  if (userId === undefined && !facts.organizationExists) throw placeNotFound('organization');
}
