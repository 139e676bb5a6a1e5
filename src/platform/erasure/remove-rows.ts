import { empty, type Sql, sql } from '../database/database.ts';
import { type Erasure, type ErasureStep, STEP_ROWS } from './step.ts';

interface RemovedTable {
  name: string;
  table: Sql;
  /** The columns of the primary key after the tenant. */
  key: Sql;
  /** The column that holds the user's id. An index finds it, unless the table stays small. */
  userId?: Sql;
  /** SQL: `AND` it is of one of these organizations. Default: by the column `organization_id`. */
  inOrganizations?: (erasure: Erasure, organizationIds: string[]) => Sql;
  onlyRemoving?: true;
}

const byColumn = (_erasure: Erasure, organizationIds: string[]) =>
  sql`AND organization_id = ANY(${organizationIds})`;

/** A step that deletes the rows that are a user's own. */
export const removeRows = ({
  name,
  table,
  key,
  userId = sql`user_id`,
  inOrganizations = byColumn,
  onlyRemoving,
}: RemovedTable): ErasureStep => ({
  name,
  ...(onlyRemoving && { onlyRemoving }),
  async run(erasure, tx) {
    const { tenantId, userIds, organizationIds } = erasure;
    const inScope = organizationIds ? inOrganizations(erasure, organizationIds) : empty;
    const removed = await tx.query(sql`
      DELETE FROM ${table} WHERE tenant_id = ${tenantId} AND (${key}) IN (
        SELECT ${key} FROM ${table}
        WHERE tenant_id = ${tenantId} AND ${userId} = ANY(${userIds}) ${inScope}
        LIMIT ${STEP_ROWS} FOR UPDATE)
      RETURNING 1`);
    return {
      counts: { [name]: removed.length },
      next: removed.length === STEP_ROWS ? [] : undefined,
    };
  },
});
