import type { ArchivedTable } from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';
import { indexJudgments, UNINDEXED } from './judgments/store-judgments.ts';

/** Judgments without their terms, which are hashes that include the tenant's id: an import computes new ones. */
export const archivedJudgments: ArchivedTable = {
  name: 'memory_judgments',
  order: sql`t.position`,
  omitted: ['position', 'fingerprint', 'terms', 'organization_terms', 'index_version'],
  imported: {
    fingerprint: sql`0`,
    terms: sql`''::tsvector`,
    organization_terms: sql`''::tsvector`,
    index_version: sql`${UNINDEXED}::smallint`,
  },
  finish: (_parts, tx, { tenantId }) => indexJudgments(tx, tenantId),
};

/** The alert configuration of the key. */
export const archivedWatches: ArchivedTable = {
  name: 'memory_watches',
  onlyInKeyArchives: true,
  omitted: ['due_ms'],
  existing: 'replaced',
};
