import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Audience } from '../../platform/live-bus/circle.ts';
import type { Follower } from '../../platform/live-bus/follower.ts';
import { type AccessFacts, loadAccess, loadAccessTo } from './load-access.ts';
import { placeNotFound } from './place-not-found.ts';
import { requireKnown } from './require-access.ts';

interface DocumentPlace {
  organizationId: string;
  documentId: string;
}

/** What decides about those who follow something in one organization, looked up for all at once. */
export const factsFor = (
  { db }: Pick<KeyContext, 'db'>,
  follower: Follower,
): Promise<AccessFacts> =>
  follower.facts((audience: Audience) => loadAccess(db, { ...audience, folderIds: [] }));

/** Lets somebody follow a document, as the operations let them read it. */
export async function admitToDocument(
  ctx: KeyContext,
  place: DocumentPlace,
  follower: Follower,
): Promise<void> {
  const { tenantId, userId = '' } = ctx;
  const facts = await loadAccessTo(ctx.db, { tenantId, userId }, place);
  judgeDocument(ctx, facts, place, follower);
}

/** @throws PERMISSION_DENIED to users; INVALID_ARGUMENT (…_not_found) to those with the API key. */
export function judgeDocument(
  { userId, clock }: KeyContext,
  facts: AccessFacts,
  place: DocumentPlace,
  follower: Follower,
): void {
  if (userId === undefined) {
    requireKnown(facts, place);
    return;
  }
  const access = facts.document(userId, place.documentId, unixSeconds(clock));
  if (!access?.allowed) {
    throw new AppError('PERMISSION_DENIED', 'You have no access to this document.');
  }
  follower.accessEndsAt = access.grant?.expiresAt ?? undefined;
}

/**
 * Users learn nothing of organizations: in one that does not exist they have an inbox as empty as
 * in any other where they are strangers.
 *
 * @throws INVALID_ARGUMENT (organization_not_found) to those with the API key.
 */
export function judgeOrganization({ userId }: KeyContext, facts: AccessFacts): void {
  if (userId === undefined && !facts.organizationExists) throw placeNotFound('organization');
}
