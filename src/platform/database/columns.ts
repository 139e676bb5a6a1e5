import { join, raw, type Sql, sql } from './database.ts';

/** SQL: the name of a table or a column. */
export const identifier = (name: string): Sql => raw(`"${name.replaceAll('"', '""')}"`);

/** SQL: the column of a field, which has the field's name in snake case. */
export const columnOf = (field: string): Sql =>
  raw(field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** SQL for a SELECT or RETURNING list: the columns of these fields, each under the name of its field. */
export const columnsOf = (fields: readonly string[]): Sql =>
  join(fields.map((field) => sql`${columnOf(field)} AS ${identifier(field)}`));
