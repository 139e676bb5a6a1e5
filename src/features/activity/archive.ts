import {
  type ArchivedTable,
  namesOrganization,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { verifyChain } from './verify-activities.ts';

/** Hashes cover the API key that wrote the record, so the archive of a chain names this key. */
export const archivedChains: ArchivedTable = {
  name: 'activity_chains',
  ofOrganization: namesOrganization,
  omitted: ['verified_at', 'broken_at'],
  exported: { hashed_as: sql`COALESCE(t.hashed_as, ${TENANT})` },
};

/** An archive is refused if one of its chains was changed. */
export const archivedActivities: ArchivedTable = {
  name: 'activities',
  ofOrganization: namesOrganization,
  order: sql`t.organization_id, t.position`,
  async finish(_parts, tx, { tenantId, organizationId = null }) {
    const chains = await tx.query<{ organizationId: string }>(sql`
      SELECT organization_id AS "organizationId" FROM activity_chains
      WHERE tenant_id = ${tenantId}
        AND (${organizationId}::text IS NULL OR organization_id = ${organizationId})`);
    for (const chain of chains) {
      const { valid, problem } = await verifyChain({ db: tx, tenantId, ...chain });
      if (valid) continue;
      throw new AppError(
        'INVALID_ARGUMENT',
        `The activity log of ${chain.organizationId} was changed: record ${problem?.position} is ${problem?.kind}.`,
      );
    }
  },
};
