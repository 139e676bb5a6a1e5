import { type ArchivedTable, namesOrganization } from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';

/** Positions belong to the server, so an archive has only the order of the rows. */
export const archivedRecordings: ArchivedTable = {
  name: 'recordings',
  ofOrganization: namesOrganization,
  order: sql`t.position`,
  omitted: ['position'],
};
