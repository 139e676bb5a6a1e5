import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql } from '../../../platform/database/database.ts';
import { isActive } from '../../access/access.ts';
import { isActiveGrant } from '../../access/active-grant.ts';
import type { AccessFacts } from '../../access/load-access.ts';
import type { KnownAccess } from './presented-access.ts';
import { maySee } from './rule.ts';

/** A subscriber to one document, with the facts about access that were loaded for all of them. */
interface Subscriber {
  organizationId: string;
  documentId: string;
  userId: string;
  facts: AccessFacts;
}

/** Applies the rule for one subscriber to annotations that events are about. */
export async function liveVisibility(
  ctx: KeyContext,
  subscriber: Subscriber,
  annotations: KnownAccess[],
): Promise<(annotation: KnownAccess) => boolean> {
  const { userId, documentId, facts: access } = subscriber;
  const now = unixSeconds(ctx.clock);
  const memberships = await loadMemberships(ctx, subscriber, annotations, now);
  const facts = { access, isMember: (organizationId: string) => memberships.has(organizationId) };
  return (annotation) => maySee(facts, { ...annotation, documentId }, userId, now);
}

/** Returns the organizations that annotations are private to and that the user is a member of. */
async function loadMemberships(
  { db, tenantId, clock }: KeyContext,
  { organizationId, userId, facts }: Subscriber,
  annotations: KnownAccess[],
  now: number,
): Promise<Set<string>> {
  const named = new Set(
    annotations.flatMap(({ visibility }) =>
      visibility.type === 'organizationPrivate' ? [visibility.organizationId ?? ''] : [],
    ),
  );
  const own = facts.organizationGrant(userId);
  const isInOwn = named.delete(organizationId) && own !== undefined && isActive(own, now);
  const memberships = new Set(isInOwn ? [organizationId] : []);
  if (named.size === 0) return memberships;
  const rows = await db.query<{ organizationId: string }>(sql`
    SELECT organization_id AS "organizationId" FROM grants
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${[...named]})
      AND user_id = ${userId} AND resource_type = 'organization'
      AND ${isActiveGrant(sql`grants`, clock)}`);
  for (const row of rows) memberships.add(row.organizationId);
  return memberships;
}
