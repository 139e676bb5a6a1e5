import type { KeyContext } from '../../../api/context.ts';
import type { NeededRole } from '../../../api/fields.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql } from '../../../platform/database/database.ts';
import { invalidField } from '../../../platform/errors.ts';
import { allows, type Grant, isActive } from '../../access/access.ts';
import type { AccessContext } from '../../access/access-context.ts';
import { loadAccess } from '../../access/load-access.ts';
import type { Resource } from '../../access/load-resources.ts';
import { requireRole } from '../../access/require-access.ts';
import { EVERY_OTHER, type Viewer } from './rule-sql.ts';

interface Places {
  organizationId: string | null;
  documentIds: string[] | null;
  folderIds: string[] | null;
}

/**
 * The user of a user token, who needs at least this role on each document named, or on the folder.
 * Users have to name places: the rule depends on each document, and an organization may have
 * millions.
 *
 * @throws PERMISSION_DENIED; INVALID_ARGUMENT when a user names neither documents nor a folder
 */
export async function requireViewer(
  ctx: KeyContext,
  places: Places,
  role: NeededRole,
): Promise<Viewer | undefined> {
  if (ctx.userId === undefined) return undefined;
  const { organizationId, documentIds, folderIds } = places;
  const folderId = folderIds?.[0];
  if (organizationId === null) throw tooWide('organizationId');
  if (documentIds?.[0] !== undefined) {
    return viewerOfDocuments(ctx, ctx.userId, { organizationId, documentIds }, role);
  }
  if (folderId === undefined) throw tooWide('documentId');
  // Documents say whether viewers may comment, and folders do not.
  const needed = role === 'commenter' ? 'editor' : role;
  return viewerOfFolder(ctx, ctx.userId, { organizationId, folderId }, needed);
}

async function viewerOfDocuments(
  { db, tenantId, clock }: KeyContext,
  userId: string,
  { organizationId, documentIds }: { organizationId: string; documentIds: string[] },
  role: NeededRole,
): Promise<Viewer> {
  const query = { tenantId, organizationId, userIds: [userId], folderIds: [], documentIds };
  const facts = await loadAccess(db, query);
  const now = unixSeconds(clock);
  const documents = documentIds.map((id) => {
    requireRole(facts.document(userId, id, now), role, 'document');
    return [id, heldIn(facts.grantsOn(userId, facts.resource('document', id)), now)];
  });
  const commentsOnly = documentIds.filter(
    (id) => !allows(facts.document(userId, id, now), 'editor'),
  );
  return { userId, documents: Object.fromEntries(documents), commentsOnly: new Set(commentsOnly) };
}

/** Most documents are as the folder is; those with a grant of their own may differ from it. */
async function viewerOfFolder(
  { db, tenantId, clock }: KeyContext,
  userId: string,
  { organizationId, folderId }: { organizationId: string; folderId: string },
  role: NeededRole,
): Promise<Viewer> {
  const granted = await db.query<{ documentId: string }>(sql`
    SELECT d.document_id AS "documentId" FROM grants g
    JOIN documents d ON d.tenant_id = g.tenant_id AND d.organization_id = g.organization_id
      AND d.document_id = g.resource_id
    WHERE g.tenant_id = ${tenantId} AND g.organization_id = ${organizationId}
      AND g.user_id = ${userId} AND g.resource_type = 'document' AND d.folder_id = ${folderId}`);
  const documentIds = granted.map((row) => row.documentId);
  const folderIds = [folderId];
  const query = { tenantId, organizationId, userIds: [userId], folderIds, documentIds };
  const facts = await loadAccess(db, query);
  const now = unixSeconds(clock);
  requireRole(facts.folder(userId, folderId, now), role, 'folder');
  const heldOn = (resource: Resource | undefined) => heldIn(facts.grantsOn(userId, resource), now);
  const documents = documentIds.map((id) => [
    id,
    allows(facts.document(userId, id, now), role) ? heldOn(facts.resource('document', id)) : null,
  ]);
  return {
    userId,
    commentsOnly: new Set(),
    documents: {
      [EVERY_OTHER]: heldOn(facts.resource('folder', folderId)),
      ...Object.fromEntries(documents),
    },
  };
}

function tooWide(path: string) {
  const message = 'with a user token, name the organization and documents or a folder of it';
  return invalidField(path, message);
}

/** The values that active grants hold, by field. */
function heldIn(grants: Grant[], now: number): AccessContext {
  const held = new Map<string, string[]>();
  const contexts = grants.filter((grant) => isActive(grant, now)).map(({ context }) => context);
  for (const [field, values] of contexts.flatMap((context) => Object.entries(context ?? {}))) {
    held.set(field, [...(held.get(field) ?? []), ...values]);
  }
  return Object.fromEntries(held);
}
