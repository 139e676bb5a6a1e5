import type { ArchivedTable } from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { isAccessContext } from '../access/access-context.ts';

/** An import refuses a grant with an invalid context, since workers that serve all keys would fail on it. */
export const archivedGrants: ArchivedTable = {
  name: 'grants',
  async finish(_parts, tx, { tenantId }) {
    const [invalid] = await tx.query<{ userId: string }>(sql`
      SELECT user_id AS "userId" FROM grants
      WHERE tenant_id = ${tenantId} AND NOT ${isAccessContext(sql`context`)} LIMIT 1`);
    if (!invalid) return;
    throw invalidArgument(
      `The archive cannot be imported: a grant to ${invalid.userId} has no valid context.`,
    );
  },
};
