import type { Pool, PoolClient } from 'pg';
import type { Sql } from 'sql-template-tag';

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
    const result = await connection.query<Row>({ name: this.nameOf(text), text, values });
    return result.rows;
  }
}
