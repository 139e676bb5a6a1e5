import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql } from '../../../platform/database/database.ts';
import { isActiveGrant } from '../../access/active-grant.ts';
import type { AccessFacts } from '../../access/load-access.ts';
import type { KnownAccess } from './presented-access.ts';
import { maySee } from './rule.ts';

/** A subscriber to one document, with the access facts that were loaded for all its subscribers. */
interface Subscriber {
  organizationId: string;
  documentId: string;
  userId: string;
  facts: AccessFacts;
}

/** Returns whether the subscriber may see each of the annotations that events are about. */
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

/** Returns the organizations of the user to which annotations may be private. */
async function loadMemberships(
  { db, tenantId, clock }: KeyContext,
  { organizationId, userId, facts }: Subscriber,
  annotations: KnownAccess[],
  now: number,
): Promise<Set<string>> {
  const others = new Set(
    annotations.flatMap(({ visibility }) =>
      visibility.type === 'organizationPrivate' ? [visibility.organizationId ?? ''] : [],
    ),
  );
  // The grant on the document's own organization is among the facts.
  others.delete(organizationId);
  const isMember = facts.accessAt({ organizationId }, userId, now)?.allowed;
  const memberships = new Set(isMember ? [organizationId] : []);
  if (others.size === 0) return memberships;
  const rows = await db.query<{ organizationId: string }>(sql`
    SELECT organization_id AS "organizationId" FROM grants
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${[...others]})
      AND user_id = ${userId} AND resource_type = 'organization'
      AND ${isActiveGrant(sql`grants`, clock)}`);
  for (const row of rows) memberships.add(row.organizationId);
  return memberships;
}
