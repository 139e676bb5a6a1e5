import { type Pool, type PoolClient, Query, type QueryResult } from 'pg';
import type { Sql } from 'sql-template-tag';

interface Connection<Row extends object> {
  query(
    query: Query<Row>,
    values: undefined,
    answered: (error: Error | undefined, result: QueryResult<Row>) => void,
  ): void;
}

/** Runs statements under names, so that each connection prepares a statement once. */
export class Statements {
  /** Names by text. The texts stand in the source, so the map stays small. */
  readonly #names = new Map<string, string>();

  nameOf(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `s${this.#names.size}`;
      this.#names.set(text, name);
    }
    return name;
  }

  async run<Row extends object>(connection: Pool | PoolClient, statement: Sql): Promise<Row[]> {
    const { text, values } = statement;
    // An object of options would be copied with its property descriptors, which takes longer than
    // binding the values.
    const query = Object.assign(new Query<Row>(text, values), { name: this.nameOf(text) });
    try {
      return await new Promise<Row[]>((resolve, reject) => {
        (connection as Connection<Row>).query(query, undefined, (error, result) =>
          error ? reject(error) : resolve(result.rows),
        );
      });
    } catch (error) {
      // The stack of the driver ends at its socket, and this one at the statement's caller.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }
}
