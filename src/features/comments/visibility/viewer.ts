import type { KeyContext } from '../../../api/context.ts';
import type { AccessRole } from '../../../api/fields.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { empty, type Sql, sql } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import { type Grant, isActive } from '../../access/access.ts';
import type { AccessContext } from '../../access/access-context.ts';
import { isActiveGrant } from '../../access/active-grant.ts';
import { loadAccess } from '../../access/load-access.ts';
import type { Resource } from '../../access/load-resources.ts';
import { requireRole } from '../../access/require-access.ts';

/** A user who looks at annotations. Undefined stands for an API key, which sees everything. */
export interface Viewer {
  userId: string;
  /** What the user holds in each document that is named, and elsewhere: there under no id. */
  held: Record<string, AccessContext>;
}

const ELSEWHERE = '';

interface Places {
  organizationId: string | null;
  documentIds: string[] | null;
  folderIds: string[] | null;
}

/**
 * Who came with a user token has at least this role on each document named, or on the folder.
 * Users name what they look into: what they may see of a whole organization depends on each
 * document in it.
 *
 * @throws PERMISSION_DENIED; INVALID_ARGUMENT when a user names neither documents nor a folder
 */
export async function requireViewer(
  ctx: KeyContext,
  places: Places,
  role: AccessRole,
): Promise<Viewer | undefined> {
  const { tenantId, userId } = ctx;
  if (userId === undefined) return undefined;
  const { organizationId, documentIds, folderIds } = places;
  const documentId = documentIds?.[0];
  const folderId = documentId === undefined ? folderIds?.[0] : undefined;
  if (organizationId === null) throw tooWide('organizationId');
  if ((documentId ?? folderId) === undefined) throw tooWide('documentId');
  const facts = await loadAccess(ctx.db, {
    tenantId,
    organizationId,
    userIds: [userId],
    folderIds: folderId === undefined ? [] : [folderId],
    documentIds: documentIds ?? [],
  });
  const now = unixSeconds(ctx.clock);
  if (folderId !== undefined) requireRole(facts.folder(userId, folderId, now), role, 'folder');
  for (const id of documentIds ?? [])
    requireRole(facts.document(userId, id, now), role, 'document');
  const heldOn = (resource: Resource | undefined) =>
    union(facts.grantsOn(userId, resource).filter((grant) => isActive(grant, now)));
  const folder = folderId === undefined ? undefined : facts.resource('folder', folderId);
  const held = (documentIds ?? []).map((id) => [id, heldOn(facts.resource('document', id))]);
  return { userId, held: { [ELSEWHERE]: heldOn(folder), ...Object.fromEntries(held) } };
}

function tooWide(path: string) {
  const message = 'with a user token, name the organization and documents or a folder of it';
  return invalidArgument(`${path}: ${message}.`, { details: { issues: [{ path, message }] } });
}

function union(grants: Grant[]): AccessContext {
  const held = new Map<string, string[]>();
  for (const [field, values] of grants.flatMap(({ context }) => Object.entries(context ?? {}))) {
    held.set(field, [...(held.get(field) ?? []), ...values]);
  }
  return Object.fromEntries(held);
}

/** SQL: `AND` the visibility of this annotation `a` lets the user see it. */
export const isNotHiddenFrom = (
  ctx: Pick<KeyContext, 'tenantId' | 'clock'>,
  userId: string,
): Sql => sql`
    AND (a.visibility->>'type' = 'public' OR a.author_id = ${userId}
      OR (a.visibility->>'type' = 'restricted' AND a.visibility->'userIds' ? ${userId})
      OR (a.visibility->>'type' = 'organizationPrivate' AND EXISTS (
        SELECT 1 FROM grants g
        WHERE g.tenant_id = ${ctx.tenantId} AND g.user_id = ${userId}
          AND g.organization_id = a.visibility->>'organizationId'
          AND g.resource_type = 'organization'
          AND ${isActiveGrant(sql`g`, ctx.clock)})))`;

/**
 * SQL: `AND` this annotation `a` is one that the viewer may see (decisions section 4): by its
 * visibility, and by its access context, of each field of which the viewer holds a value.
 */
export function visibleTo(ctx: KeyContext, viewer: Viewer | undefined): Sql {
  if (!viewer) return empty;
  const held = JSON.stringify(viewer.held);
  return sql`
    ${isNotHiddenFrom(ctx, viewer.userId)}
    AND (a.access IS NULL OR NOT EXISTS (
      SELECT 1 FROM jsonb_each(a.access) AS needed(field, choices)
      WHERE NOT EXISTS (
        SELECT 1 FROM jsonb_array_elements_text(needed.choices) AS choice(value)
        WHERE COALESCE(${held}::jsonb->a.document_id, ${held}::jsonb->${ELSEWHERE}::text)
          ->needed.field ? choice.value)))`;
}
