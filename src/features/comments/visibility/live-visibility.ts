import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql } from '../../../platform/database/database.ts';
import { isActive } from '../../access/access.ts';
import { holdsContext } from '../../access/access-context.ts';
import { isActiveGrant } from '../../access/active-grant.ts';
import type { AccessFacts } from '../../access/load-access.ts';
import type { ShownState } from '../live/shown-state.ts';

/** Which annotations of a document a user may see (decisions section 4). */
export type Sight = (state: ShownState) => boolean;

interface Viewing {
  organizationId: string;
  documentId: string;
  userId: string;
  facts: AccessFacts;
}

/** The rule of `visibleTo` in list/viewer.ts, for annotations as events present them. */
export async function sightOf(
  ctx: KeyContext,
  viewing: Viewing,
  states: Iterable<ShownState>,
): Promise<Sight> {
  const { userId, documentId, facts } = viewing;
  const now = unixSeconds(ctx.clock);
  const organizations = await organizationsOf(ctx, viewing, states, now);
  const isNotHidden = ({ from, visibilityConfig }: ShownState) => {
    const { type, userIds, organizationId = '' } = visibilityConfig;
    if (type === 'public' || from.userId === userId) return true;
    return type === 'restricted'
      ? (userIds?.includes(userId) ?? false)
      : organizations.has(organizationId);
  };
  return (state) => {
    const access = state.context?.access;
    return (
      isNotHidden(state) && (!access || holdsContext(facts, { userId, documentId }, access, now))
    );
  };
}

/** Those of the organizations that annotations are private to, in which the user is. */
async function organizationsOf(
  { db, tenantId, clock }: KeyContext,
  { organizationId, userId, facts }: Viewing,
  states: Iterable<ShownState>,
  now: number,
): Promise<Set<string>> {
  const named = new Set(
    [...states].flatMap(({ visibilityConfig }) =>
      visibilityConfig.type === 'organizationPrivate'
        ? [visibilityConfig.organizationId ?? '']
        : [],
    ),
  );
  const own = facts.organizationGrant(userId);
  const isInOwn = named.delete(organizationId) && own !== undefined && isActive(own, now);
  const found = new Set(isInOwn ? [organizationId] : []);
  if (named.size === 0) return found;
  const rows = await db.query<{ organizationId: string }>(sql`
    SELECT organization_id AS "organizationId" FROM grants
    WHERE tenant_id = ${tenantId} AND organization_id = ANY(${[...named]})
      AND user_id = ${userId} AND resource_type = 'organization'
      AND ${isActiveGrant(sql`grants`, clock)}`);
  for (const row of rows) found.add(row.organizationId);
  return found;
}
