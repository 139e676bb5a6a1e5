import { type ArchivedTable, isInScope, TENANT } from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { verifyChain } from './verify-activities.ts';

const PROBLEMS = { changed: 'was changed', missing: 'is missing', inserted: 'was inserted' };

/**
 * The hashes include the API key that wrote the records, so the archive of a chain names this key. An import
 * is refused if one of its chains was changed.
 */
export const archivedChains: ArchivedTable = {
  name: 'activity_chains',
  omitted: ['verified_at', 'broken_at'],
  exported: { hashed_as: sql`COALESCE(t.hashed_as, ${TENANT})` },
  async finish(_parts, tx, scope) {
    const chains = await tx.query<{ organizationId: string }>(sql`
      SELECT organization_id AS "organizationId" FROM activity_chains
      WHERE ${isInScope(scope)}`);
    for (const chain of chains) {
      const { valid, problem } = await verifyChain({ ...scope, db: tx, ...chain });
      if (valid) continue;
      throw invalidArgument(
        `The activity log of ${chain.organizationId} was changed: record ${problem?.position} ${problem && PROBLEMS[problem.kind]}.`,
      );
    }
  },
};

/** An import refuses records without a chain, since a new chain would use their positions again. */
export const archivedActivities: ArchivedTable = {
  name: 'activities',
  order: sql`t.organization_id, t.position`,
  async finish(_parts, tx, scope) {
    const [lost] = await tx.query<{ organizationId: string }>(sql`
      SELECT organization_id AS "organizationId" FROM activities
      WHERE ${isInScope(scope)}
      EXCEPT SELECT organization_id FROM activity_chains WHERE ${isInScope(scope)}
      LIMIT 1`);
    if (!lost) return;
    throw invalidArgument(`The archive lacks the activity chain of ${lost.organizationId}.`);
  },
};
