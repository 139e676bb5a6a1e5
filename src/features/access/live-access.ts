import type { KeyContext } from '../../api/context.ts';
import type { TopicSubscription } from '../../api/follow.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Audience, SubscriberCursor } from '../../platform/live-bus/subscribers.ts';
import { type AccessFacts, loadAccess, loadAccessTo } from './load-access.ts';
import type { DocumentRef } from './places.ts';
import { requireKnown } from './require-access.ts';

type AccessChecks = Pick<TopicSubscription<{ id: string }>, 'checkAccess' | 'recheckAccess'>;

/** Returns the access facts of all subscribers in the organization, which are loaded together. */
export const factsFor = (
  { db }: Pick<KeyContext, 'db'>,
  cursor: SubscriberCursor,
): Promise<AccessFacts> =>
  cursor.facts((audience: Audience) => loadAccess(db, { ...audience, folderIds: [] }));

/**
 * Returns the checks that a caller may follow a document, which also store in the cursor when access ends.
 * They throw PERMISSION_DENIED for users, and INVALID_ARGUMENT (…_not_found) for API keys.
 */
export function documentChecks(ctx: KeyContext, place: DocumentRef): AccessChecks {
  const { db, tenantId, userId, clock } = ctx;
  const check = (facts: AccessFacts, cursor: SubscriberCursor) => {
    if (userId === undefined) {
      requireKnown(facts, place);
      return;
    }
    const access = facts.accessToDocument(userId, place.documentId, unixSeconds(clock));
    if (!access?.allowed) {
      throw new AppError('PERMISSION_DENIED', 'You do not have access to this document.');
    }
    cursor.accessEndsAt = access.grant?.expiresAt ?? undefined;
  };
  return {
    // For an API key, the empty user id, which no user has, makes this look up only the place.
    checkAccess: async (cursor) =>
      check(await loadAccessTo(db, { tenantId, userId: userId ?? '' }, place), cursor),
    recheckAccess: async (cursor) => check(await factsFor(ctx, cursor), cursor),
  };
}

/**
 * Returns the checks that an inbox's organization exists. They throw INVALID_ARGUMENT
 * (organization_not_found) for API keys only. A user cannot find out whether the organization exists: if not,
 * the inbox is empty, as in any organization where the user has no notifications.
 */
export function inboxChecks(
  ctx: KeyContext,
  { organizationId, userId }: { organizationId: string; userId: string },
): AccessChecks {
  const { db, tenantId } = ctx;
  const check = (facts: AccessFacts) => {
    if (ctx.userId === undefined) requireKnown(facts, { organizationId });
  };
  return {
    checkAccess: async () =>
      check(await loadAccessTo(db, { tenantId, userId }, { organizationId })),
    recheckAccess: async (cursor) => check(await factsFor(ctx, cursor)),
  };
}
