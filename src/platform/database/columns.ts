import { join, raw, type Sql, sql } from './database.ts';

/** SQL: the name of a table or a column. */
export const identifier = (name: string): Sql => raw(`"${name.replaceAll('"', '""')}"`);

/** SQL: the column of a field, which has the same name in snake case. */
export const columnOf = (field: string): Sql =>
  raw(field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** SQL: the columns of fields, as a statement returns them. */
export const columnsOf = (fields: readonly string[]): Sql =>
  join(fields.map((field) => sql`${columnOf(field)} AS ${identifier(field)}`));
