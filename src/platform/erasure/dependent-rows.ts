import type { Sql } from '../database/database.ts';

/** Returns an SQL condition: the id in `idColumn` is that of a deleted resource. */
type IsDeleted = (idColumn: Sql) => Sql;

/** Returns a statement that deletes a feature's rows about deleted resources, or makes these rows expire. */
export type DependentRows = (tenantId: string, isDeleted: IsDeleted) => Sql;

/**
 * The rows to delete with each kind of resource, and with a user's membership in an organization.
 * The features that own the tables register them. Tables with a cascading foreign key need no entry.
 */
export type Dependents = Record<
  'document' | 'folder' | 'organization' | 'member',
  readonly DependentRows[]
>;
