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
import { OTHER_DOCUMENTS, type Viewer } from './rule-sql.ts';

interface Places {
  organizationId: string | null;
  documentIds: string[] | null;
  /** One folder at most. */
  folderIds: string[] | null;
}

/**
 * Returns the user of a user token, who needs at least this role on each named document, or else on the
 * folder; undefined for an API key. Users must name documents or a folder: the visibility rule needs
 * their access to each document, and an organization may have millions of documents.
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
  if (organizationId === null) {
    throw invalidField('organizationId', 'is required with a user token');
  }
  if (documentIds?.[0] !== undefined) {
    return viewerOfDocuments(ctx, ctx.userId, { organizationId, documentIds }, role);
  }
  if (folderId === undefined) {
    const problem = 'is required with a user token, unless documentIds or folderId is given';
    throw invalidField('documentId', problem);
  }
  // Viewers may comment only on documents that allow it. A folder has no such setting, so only editors may.
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
    requireRole(facts.accessToDocument(userId, id, now), role, 'document');
    return [id, joinContexts(facts.grantsOn(userId, facts.resource('document', id)), now)];
  });
  const commentsOnly = documentIds.filter(
    (id) => !allows(facts.accessToDocument(userId, id, now), 'editor'),
  );
  return { userId, documents: Object.fromEntries(documents), commentsOnly: new Set(commentsOnly) };
}

/**
 * Returns the viewer of a folder. On the documents in it, a user has the same access as on the folder, unless
 * the user has a grant on the document itself. OFFSET 0 makes PostgreSQL look up each document with a grant
 * by its id, instead of reading all documents of the folder for each grant.
 */
async function viewerOfFolder(
  { db, tenantId, clock }: KeyContext,
  userId: string,
  { organizationId, folderId }: { organizationId: string; folderId: string },
  role: NeededRole,
): Promise<Viewer> {
  const granted = await db.query<{ documentId: string }>(sql`
    SELECT d.document_id AS "documentId" FROM grants g CROSS JOIN LATERAL (
      SELECT document_id FROM documents
      WHERE tenant_id = g.tenant_id AND organization_id = g.organization_id
        AND document_id = g.resource_id AND folder_id = ${folderId} OFFSET 0) d
    WHERE g.tenant_id = ${tenantId} AND g.organization_id = ${organizationId}
      AND g.user_id = ${userId} AND g.resource_type = 'document'`);
  const documentIds = granted.map((row) => row.documentId);
  const folderIds = [folderId];
  const query = { tenantId, organizationId, userIds: [userId], folderIds, documentIds };
  const facts = await loadAccess(db, query);
  const now = unixSeconds(clock);
  requireRole(facts.accessToPlace({ organizationId, folderId }, userId, now), role, 'folder');
  const contextOn = (resource: Resource | undefined) =>
    joinContexts(facts.grantsOn(userId, resource), now);
  const documents = documentIds.map((id) => [
    id,
    allows(facts.accessToDocument(userId, id, now), role)
      ? contextOn(facts.resource('document', id))
      : null,
  ]);
  return {
    userId,
    commentsOnly: new Set(),
    documents: {
      [OTHER_DOCUMENTS]: contextOn(facts.resource('folder', folderId)),
      ...Object.fromEntries(documents),
    },
  };
}

/**
 * Joins the access contexts of the active grants.
 *
 * @param now Unix seconds
 */
function joinContexts(grants: Grant[], now: number): AccessContext {
  const joined = new Map<string, string[]>();
  const contexts = grants.filter((grant) => isActive(grant, now)).map(({ context }) => context);
  for (const [field, values] of contexts.flatMap((context) => Object.entries(context ?? {}))) {
    joined.set(field, [...(joined.get(field) ?? []), ...values]);
  }
  return Object.fromEntries(joined);
}
