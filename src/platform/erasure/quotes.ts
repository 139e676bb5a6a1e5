import { join, type Sql, sql } from '../database/database.ts';

/** A field of an event that repeats the text of a row, registered by the owner of that row. */
export interface Quote {
  eventType: string;
  /** The field in the event's data. */
  field: string;
  /**
   * SQL: whether the row is gone or has another text.
   *
   * @param data SQL for the event's data; `t` is the event's row, with its tenant and organization
   */
  isStale: (data: Sql) => Sql;
}

/** SQL: whether the event of row `t` quotes text that its source no longer has. */
export const hasStaleQuote = (quotes: readonly Quote[], type: Sql, data: Sql): Sql => {
  const conditions = quotes.map(
    ({ eventType, field, isStale }) => sql`
      ${type} = ${eventType} AND ${data}->>${field}::text <> '' AND ${isStale(data)}`,
  );
  return sql`(${join(conditions, ' OR ')})`;
};

/** Returns an event's data with empty texts in the quoted fields. */
export const withoutQuotes = (quotes: readonly Quote[], data: object): object => {
  const quoted = quotes.map(({ field }) => field).filter((field) => field in data);
  return { ...data, ...Object.fromEntries(quoted.map((field) => [field, ''])) };
};
