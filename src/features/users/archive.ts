import type { ArchivedTable } from '../../platform/archives/archived-table.ts';
import { join, type Sql } from '../../platform/database/database.ts';

/**
 * An organization's archive holds the users that its rows refer to. Those that the server knows
 * already are kept as they are. The epoch of their tokens belongs to the server.
 *
 * @param referrers SQL that is true of a user `t` to whom a row of the organization refers
 */
export const archivedUsers = (referrers: readonly Sql[]): ArchivedTable => ({
  name: 'users',
  ofOrganization: join(referrers, ' OR ', '(', ')'),
  omitted: ['token_epoch'],
  existing: 'kept',
});
