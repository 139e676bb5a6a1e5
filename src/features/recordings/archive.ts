import { type ArchivedTable, namesOrganization } from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';

/** Positions are numbers of the server, so only their order is archived. */
export const archivedRecordings: ArchivedTable = {
  name: 'recordings',
  ofOrganization: namesOrganization,
  order: sql`t.position`,
  omitted: ['position'],
};
