import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { consoleKeyOperation, router } from '../../api/procedures.ts';
import { loadFolderChains } from '../../features/access/folder-chains.ts';
import { empty, type Queryable, type Sql, sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';

/** How many entries of each kind a search scans at most. */
const MAX_SCANNED = 100_000;
/** How many entries of each kind a search returns at most. */
const MAX_FOUND = 25;

const KINDS = ['organization', 'folder', 'document', 'user', 'group'] as const;

interface Found {
  kind: (typeof KINDS)[number];
  organizationId: string | null;
  id: string;
  name: string | null;
}

/** Each kind of entry: its table, and the columns of its ids and names. */
const TABLES: Array<[kind: Found['kind'], table: Sql, idColumn: Sql, nameColumn: Sql]> = [
  ['organization', sql`organizations`, sql`organization_id`, sql`organization_name`],
  ['document', sql`documents`, sql`document_id`, sql`document_name`],
  ['folder', sql`folders`, sql`folder_id`, sql`folder_name`],
  ['user', sql`users`, sql`user_id`, sql`name`],
  ['group', sql`user_groups`, sql`group_id`, sql`group_name`],
];

interface Grant {
  organizationId: string;
  resourceType: 'organization' | 'folder' | 'document';
  resourceId: string;
  accessRole: 'viewer' | 'editor';
  /** Unix seconds. */
  expiresAt: number | null;
}

interface NamedResource {
  type: 'organization' | 'folder' | 'document';
  id: string;
  name: string;
}

/** The most roles, and the most groups, that are returned for a user. */
const MAX_SHOWN = 500;

export const directoryRouter = router({
  /**
   * Finds entries whose id or name contains a text, exact ids first. For an empty text, it returns the
   * first entries. It scans at most 100,000 entries of each kind in the order of their ids, in all
   * organizations or in one.
   */
  find: consoleKeyOperation
    .input(
      z.strictObject({
        q: z.string().trim().max(256),
        organizationId: id.optional(),
        kind: z.enum(KINDS).optional(),
      }),
    )
    .query(async ({ ctx: { db, tenantId }, input: { q, organizationId, kind } }) => {
      const lists = await Promise.all(
        TABLES.filter(([tableKind]) => kind === undefined || kind === tableKind).map((table) =>
          findIn(db, { tenantId, organizationId, q }, table),
        ),
      );
      return {
        found: lists.flatMap((list) => list.found),
        isPartial: lists.some((list) => list.isPartial),
      };
    }),

  /** A user with all roles and groups, in every organization. */
  user: consoleKeyOperation
    .input(z.strictObject({ userId: id }))
    .query(async ({ ctx: { db, tenantId }, input: { userId } }) => {
      const [[user], grants, groups] = await Promise.all([
        db.query<{ name: string | null; email: string | null; createdAt: Date }>(sql`
          SELECT name, email, created_at AS "createdAt" FROM users
          WHERE tenant_id = ${tenantId} AND user_id = ${userId}`),
        db.query<Grant>(sql`
          SELECT organization_id AS "organizationId", resource_type AS "resourceType",
                 resource_id AS "resourceId", access_role AS "accessRole",
                 expires_at::float8 AS "expiresAt"
          FROM grants WHERE tenant_id = ${tenantId} AND user_id = ${userId}
          ORDER BY organization_id, resource_type DESC, resource_id LIMIT ${MAX_SHOWN}`),
        db.query<{ organizationId: string; groupId: string; groupName: string | null }>(sql`
          SELECT m.organization_id AS "organizationId", m.group_id AS "groupId",
                 g.group_name AS "groupName"
          FROM user_group_members m JOIN user_groups g USING (tenant_id, organization_id, group_id)
          WHERE m.tenant_id = ${tenantId} AND m.user_id = ${userId}
          ORDER BY m.organization_id, m.group_id LIMIT ${MAX_SHOWN}`),
      ]);
      if (!user) throw new AppError('NOT_FOUND', 'The user does not exist.');
      return { userId, ...user, createdAt: user.createdAt.getTime(), grants, groups };
    }),

  /**
   * The path to a document or folder, with names, from the organization down. For a document, also when it was added
   * and changed.
   */
  resourcePath: consoleKeyOperation
    .input(
      z.strictObject({ organizationId: id, documentId: id.optional(), folderId: id.optional() }),
    )
    .query(async ({ ctx: { db, tenantId }, input: { organizationId, documentId, folderId } }) => {
      type Row = { name: string; folderId: string | null; createdAt: Date; updatedAt: Date };
      const [document] = await db.query<Row>(sql`
        SELECT document_name AS name, folder_id AS "folderId", created_at AS "createdAt",
               updated_at AS "updatedAt"
        FROM documents WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND document_id = ${documentId ?? null}`);
      if (documentId !== undefined && !document) {
        throw new AppError('NOT_FOUND', 'The document does not exist.');
      }
      const parentId = (document ? document.folderId : folderId) ?? '';
      const chains = await loadFolderChains(db, tenantId, organizationId, [parentId]);
      const ids = (chains.get(parentId) ?? []).map((link) => link.folderId).reverse();
      const resources = await db.query<NamedResource>(sql`
        SELECT 'organization' AS type, organization_id AS id, organization_name AS name
        FROM organizations WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
        UNION ALL
        SELECT 'folder', folder_id, coalesce(folder_name, folder_id) FROM folders
        WHERE tenant_id = ${tenantId} AND organization_id = ${organizationId}
          AND folder_id = ANY(${ids}) LIMIT ${ids.length + 1}`);
      const depthOf = (resource: NamedResource) =>
        resource.type === 'organization' ? -1 : ids.indexOf(resource.id);
      const path = resources.toSorted((one, other) => depthOf(one) - depthOf(other));
      if (document) path.push({ type: 'document', id: documentId ?? '', name: document.name });
      return {
        path,
        createdAt: document?.createdAt.getTime(),
        updatedAt: document?.updatedAt.getTime(),
      };
    }),
});

/** Finds entries of one kind. It scans their rows in the order of the primary key. */
async function findIn(
  db: Queryable,
  { tenantId, organizationId, q }: { tenantId: string; organizationId?: string; q: string },
  [kind, table, idColumn, nameColumn]: (typeof TABLES)[number],
): Promise<{ found: Found[]; isPartial: boolean }> {
  const hasOrganization = kind !== 'user';
  const organization = hasOrganization ? sql`organization_id` : sql`NULL::text`;
  const isInOrganization = hasOrganization
    ? sql`organization_id = ${organizationId}`
    : sql`EXISTS (SELECT 1 FROM grants g WHERE g.tenant_id = users.tenant_id
        AND g.user_id = users.user_id AND g.organization_id = ${organizationId})`;
  const [result] = await db.query<{ found: Found[]; scanned: number }>(sql`
    WITH scanned AS MATERIALIZED (
      SELECT ${organization} AS organization_id, ${idColumn} AS id, ${nameColumn} AS name
      FROM ${table}
      WHERE tenant_id = ${tenantId}
        ${organizationId === undefined ? empty : sql`AND ${isInOrganization}`}
      ORDER BY tenant_id, ${hasOrganization ? sql`organization_id, ` : empty} ${idColumn}
      LIMIT ${q === '' ? MAX_FOUND : MAX_SCANNED}
    ), found AS (
      SELECT ${kind} AS kind, organization_id AS "organizationId", id, name FROM scanned
      WHERE strpos(lower(id || ' ' || coalesce(name, '')), lower(${q})) > 0
      ORDER BY scanned.id <> ${q}, strpos(lower(scanned.id), lower(${q})) <> 1, scanned.id
      LIMIT ${MAX_FOUND}
    )
    SELECT (SELECT count(*)::int FROM scanned) AS scanned,
           (SELECT coalesce(json_agg(found), '[]') FROM found) AS found`);
  const { found: list = [], scanned = 0 } = result ?? {};
  return { found: list, isPartial: scanned === MAX_SCANNED || list.length === MAX_FOUND };
}
