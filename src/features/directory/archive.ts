import {
  type ArchivedTable,
  isInScope,
  ORGANIZATION,
  type Scope,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { MAX_FOLDER_DEPTH } from '../access/folder-chains.ts';
import {
  ORGANIZATIONS,
  type OrganizationRow,
  organizationEvent,
} from './organizations/organizations.ts';

/** The most organizations for which one statement publishes events. */
const BATCH_SIZE = 1_000;

/** An import publishes an event for each organization, but none for the resources in it. */
export const archivedOrganizations: ArchivedTable = {
  name: 'organizations',
  omitted: ['is_being_deleted'],
  async finish({ events }, tx, scope) {
    let after = '';
    for (;;) {
      const rows = await tx.query<OrganizationRow>(sql`
        SELECT ${ORGANIZATIONS.columns} FROM organizations
        WHERE ${isInScope(scope)} AND organization_id > ${after}
        ORDER BY organization_id LIMIT ${BATCH_SIZE}`);
      const added = rows.values().map((row) => organizationEvent('organization.add', row));
      await events.append(tx, scope.tenantId, added);
      if (rows.length < BATCH_SIZE) return;
      after = rows.at(-1)?.organizationId ?? '';
    }
  },
};

/** SQL: the folders of an archive that can be reached from the root, each with its depth. */
const folderTree = sql`(
  WITH RECURSIVE tree AS (
    SELECT root.*, 0 AS depth FROM folders root
    WHERE root.tenant_id = ${TENANT} AND root.parent_folder_id IS NULL
      AND ${ORGANIZATION} IN ('', root.organization_id)
    UNION ALL
    SELECT folder.*, depth + 1 FROM tree JOIN folders folder
      ON folder.tenant_id = ${TENANT} AND folder.organization_id = tree.organization_id
        AND folder.parent_folder_id = tree.folder_id)
  SELECT * FROM tree) t`;

/**
 * Archives list each folder after the folder that contains it. An import refuses folders in a circle, since
 * a walk up from one of them would never end, and folders that are nested too deeply, since access checks
 * read only `MAX_FOLDER_DEPTH` levels.
 */
export const archivedFolders: ArchivedTable = {
  name: 'folders',
  rows: folderTree,
  order: sql`t.depth`,
  omitted: ['is_being_deleted'],
  async finish(_parts, tx, scope) {
    const [invalid] = await tx.query<{ id: string }>(sql`
      SELECT folder_id AS id, organization_id FROM folders
      WHERE ${isInScope(scope)}
      EXCEPT SELECT t.folder_id, t.organization_id FROM ${folderTree}
      WHERE t.depth < ${MAX_FOLDER_DEPTH} LIMIT 1`);
    if (!invalid) return;
    throw invalidArgument(
      `The archive cannot be imported: the folder ${invalid.id} is in a circle of folders, or nested too deeply.`,
    );
  },
};

/** SQL: whether a background job is deleting something that the archive would contain. */
export const isBeingDeleted = (scope: Scope): Sql => sql`
  EXISTS (SELECT FROM organizations WHERE ${isInScope(scope)} AND is_being_deleted)
  OR EXISTS (SELECT FROM folders WHERE ${isInScope(scope)} AND is_being_deleted)`;
