import { empty, type Sql, sql } from '../database/database.ts';
import { type Erasure, type ErasureStep, STEP_ROWS } from './step.ts';

interface RemovedTable extends Pick<ErasureStep, 'name' | 'onlyWhenRemovingContents'> {
  table: Sql;
  /** The columns of the primary key after the tenant. */
  key: Sql;
  /** The column that holds the user's id. It has an index, unless the table stays small. */
  userId?: Sql;
  /** SQL: `AND` and a condition for rows of these organizations. Default: by `organization_id`. */
  inOrganizations?: (erasure: Erasure, organizationIds: string[]) => Sql;
}

const byColumn = (_erasure: Erasure, organizationIds: string[]) =>
  sql`AND organization_id = ANY(${organizationIds})`;

/** Creates a step that deletes the rows of the users. */
export const removeRows = ({
  name,
  table,
  key,
  userId = sql`user_id`,
  inOrganizations = byColumn,
  onlyWhenRemovingContents,
}: RemovedTable): ErasureStep => ({
  name,
  onlyWhenRemovingContents,
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
      // Deleted rows are not found again, so the next run needs no position.
      next: removed.length === STEP_ROWS ? [] : undefined,
    };
  },
});
