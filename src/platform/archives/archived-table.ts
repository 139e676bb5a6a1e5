import type { Clock } from '../clock.ts';
import { type Sql, sql, type Transaction } from '../database/database.ts';
import type { EventLog } from '../events/event-log.ts';

/** The extent of an archive: one organization, or the whole API key if `organizationId` is undefined. */
export interface Scope {
  tenantId: string;
  organizationId: string | undefined;
}

/** SQL for the tenant and the organization of the archive that the transaction reads or fills. */
export const TENANT = sql`current_setting('archive.tenant')`;
export const ORGANIZATION = sql`current_setting('archive.organization')`;

/** Makes `TENANT` and `ORGANIZATION` known to a transaction. */
export const setScope = ({ tenantId, organizationId = '' }: Scope): Sql => sql`
  SELECT set_config('archive.tenant', ${tenantId}, true),
         set_config('archive.organization', ${organizationId}, true)`;

/** SQL: whether a row belongs to the tenant and, if the scope is one organization, to that organization. */
export const isInScope = ({ tenantId, organizationId }: Scope): Sql =>
  organizationId === undefined
    ? sql`tenant_id = ${tenantId}`
    : sql`tenant_id = ${tenantId} AND organization_id = ${organizationId}`;

/** A table whose rows are put into archives, defined by the feature that owns it. */
export interface ArchivedTable {
  /** The name of the table, under which an archive keeps its rows. */
  name: string;
  /** SQL for the FROM clause, in which the rows are named `t`. Default: the table alone. */
  rows?: Sql;
  /** SQL: whether a row `t` belongs to the organization. Default: the row names the organization. */
  ofOrganization?: Sql;
  /** Whether the rows belong to the API key as a whole, so that archives of one organization lack them. */
  onlyInKeyArchives?: true;
  /** SQL for the order of the rows, if it matters. */
  order?: Sql;
  /** The columns that are put into an archive. Default: all but the tenant and the omitted ones. */
  columns?: readonly string[];
  /** Columns that mean nothing on another server. */
  omitted?: readonly string[];
  /** SQL, by column, for values that are put into an archive instead of those stored in the row `t`. */
  exported?: Readonly<Record<string, Sql>>;
  /** SQL, by omitted column, for the value on import. It may refer to the row `t` of the archive. */
  imported?: Readonly<Record<string, Sql>>;
  /**
   * How an import treats a row that the server already has. By default, the archive is refused.
   * Rows of a `kept` table belong to the API key, so even an archive of one organization may hold any of them.
   */
  existing?: 'kept' | 'replaced';
  /** The statement that stores the rows `t` of an archive, if it is not an INSERT. */
  write?(records: Sql): Sql;
  /** Completes the rows, once all of them are inserted. */
  finish?(deps: FinishDependencies, tx: Transaction, scope: Scope): Promise<void>;
}

interface FinishDependencies {
  events: EventLog;
  clock: Clock;
}
