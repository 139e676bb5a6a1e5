import type { z } from 'zod';
import { type ChangeRules, changeRows, mergeItems, outcomesOf } from '../../api/batches.ts';
import { metadataOf, metadataProblem, requireSmallMetadata } from '../../api/fields.ts';
import { among } from '../../api/paging.ts';
import { jsonLists, mapInChunks } from '../../platform/chunks.ts';
import { columnOf, columnsOf } from '../../platform/database/columns.ts';
import { join, raw, type Sql, sql, type Transaction } from '../../platform/database/database.ts';
import { type Constraint, retryOnViolation } from '../../platform/database/lost-races.ts';
import { namedRows } from '../../platform/database/named-rows.ts';

/** Where resources belong: to an organization of a tenant. Organizations themselves belong to the tenant alone. */
interface ResourceParent {
  tenantId: string;
  organizationId?: string;
}

/** SQL: whether the row belongs to this parent. */
const isInParent = ({ tenantId, organizationId }: ResourceParent): Sql =>
  organizationId === undefined
    ? sql`tenant_id = ${tenantId}`
    : sql`tenant_id = ${tenantId} AND organization_id = ${organizationId}`;

interface Row {
  organizationId: string;
  metadata: Record<string, unknown>;
}

interface KindOptions<Stored> {
  /** The name in messages: `Folder does not exist.` */
  noun: string;
  table: string;
  id: keyof Stored & string;
  /** The schema of what callers write. Fields without a column are metadata. */
  input: z.ZodObject;
  /** The types of the columns, by their fields; a column is named like its field in snake case. */
  columns: Record<keyof Stored & string, 'text' | 'boolean' | 'jsonb'>;
  /** The foreign keys that a statement may violate after a concurrent deletion. */
  references?: readonly Constraint[];
}

/** Creates the statements and outcomes for a kind of resource that callers write in batches. */
export function resourceKind<Stored extends Row, Input extends object>({
  noun,
  table: tableName,
  id,
  input,
  columns: columnTypes,
  references = [],
}: KindOptions<Stored>) {
  const inputFields = Object.keys(input.shape);
  const fields = Object.keys(columnTypes);
  const table = raw(tableName);
  const idColumn = columnOf(id);
  const columns = columnsOf(fields);
  const recordset = raw(
    Object.entries(columnTypes)
      .map(([field, type]) => `"${field}" ${type}`)
      .join(),
  );
  const given = (field: string) => raw(`given."${field}"`);
  const names = join(fields.map(columnOf));
  const values = join(fields.map(given));
  const changeable = fields.filter((field) => field !== id && field !== 'organizationId');
  const assignments = join(changeable.map((field) => sql`${columnOf(field)} = ${given(field)}`));
  const givenId = given(id);

  const idOf = (resource: Stored | Input): string => (resource as Record<string, string>)[id] ?? '';
  const ownFields = (item: Input) => metadataOf(item, inputFields);

  /** Returns the row with the given fields and merged metadata, or a message if the metadata has a problem. */
  const apply = (before: Stored, item: Input): Stored | string => {
    const givenFields = Object.entries(item).filter(
      ([field, value]) => value !== undefined && inputFields.includes(field),
    );
    const metadata = { ...before.metadata, ...ownFields(item) };
    const problem = metadataProblem(metadata);
    return problem
      ? `The metadata ${problem}.`
      : { ...before, ...Object.fromEntries(givenFields), metadata };
  };

  return {
    table,
    idColumn,
    columns,
    idOf,
    apply,
    metadataOf: ownFields,

    /**
     * Merges the items of a batch with the same id.
     *
     * @throws INVALID_ARGUMENT if their merged metadata is too large
     */
    mergeBatch: (items: Input[]): Input[] =>
      mergeItems(items, idOf, (merged) =>
        requireSmallMetadata(idOf(merged), ownFields(merged), tableName),
      ),

    /**
     * Inserts rows, and returns those that did not exist yet, unless `onConflict` says otherwise. Inserting in
     * the order of ids prevents deadlocks.
     */
    insert: <Inserted extends Stored = Stored>(
      tx: Transaction,
      tenantId: string,
      rows: object[],
      onConflict = sql`DO NOTHING RETURNING ${columns}`,
    ): Promise<Inserted[]> => {
      const insertion = tx.query<Inserted>(sql`
        INSERT INTO ${table} (tenant_id, ${names}) SELECT ${tenantId}, ${values}
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given(${recordset})
        ORDER BY ${givenId} ON CONFLICT ${onConflict}`);
      return retryOnViolation(insertion, references);
    },

    /** Locks the rows of a batch against changes, but not against references to them. */
    lock: (tx: Transaction, place: ResourceParent, batch: Input[]): Promise<Stored[]> =>
      tx.query<Stored>(sql`
        SELECT ${columns} FROM ${namedRows({
          table,
          where: isInParent(place),
          idColumn,
          ids: batch.map(idOf),
          lock: sql`FOR NO KEY UPDATE`,
        })} locked`),

    /**
     * Applies a batch to the locked rows, and writes the rows that it changes.
     *
     * @returns `changes`: each changed row, before and after; `outcomes`: an outcome for each item
     */
    async change(
      tx: Transaction,
      place: ResourceParent,
      { batch, locked }: { batch: Input[]; locked: Stored[] },
      options: Partial<ChangeRules<Input, Stored>> = {},
    ) {
      const stored = new Map(locked.map((row) => [idOf(row), row]));
      const changed = await changeRows(batch, stored, { idOf, noun, apply, ...options });
      const ids = changed.changes.map(({ after }) => idOf(after));
      const rows = await mapInChunks(changed.changes, ({ after }) => JSON.stringify(after));
      for await (const list of jsonLists(rows)) {
        const writing = tx.query(sql`
          UPDATE ${table} SET ${assignments}, updated_at = now()
          FROM jsonb_to_recordset(${list}::jsonb) AS given(${recordset})
          WHERE ${isInParent(place)} AND ${idColumn} = ${givenId} ${among(idColumn, ids)}`);
        await retryOnViolation(writing, references);
      }
      return changed;
    },

    additionOutcomes: (
      batch: Input[],
      added: Stored[],
      refusal: string | ((id: string) => string) = `${noun} already exists.`,
    ) => outcomesOf(batch.map(idOf), added.map(idOf), `${noun} added.`, refusal),
  };
}
