import type { Sql } from '../database/database.ts';

/** SQL: the condition that the id in `idColumn` is that of a deleted resource. */
type IsDeleted = (idColumn: Sql) => Sql;

/** A statement that deletes the rows of a feature that belong to deleted resources, or makes them expire. */
export type DependentRows = (tenantId: string, isDeleted: IsDeleted) => Sql;

/**
 * The rows to delete with each kind of resource, and with a user's membership of an organization,
 * registered by the owners of the tables. Tables with a cascading foreign key need no entry.
 */
export type Dependents = Record<
  'document' | 'folder' | 'organization' | 'member',
  readonly DependentRows[]
>;
