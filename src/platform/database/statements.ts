import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import type { Sql } from 'sql-template-tag';
import { type SpanStart, traced } from '../tracing/tracing.ts';

const statementCount = new AsyncLocalStorage<{ statements: number }>();

/** Runs work, and counts the statements that it sends to PostgreSQL in `count`. */
export const countStatements = <Result>(
  count: { statements: number },
  work: () => Result,
): Result => statementCount.run(count, work);

/** Runs statements. Each has a name, so that a connection parses it only once. */
export class Statements {
  readonly #arePrepared: boolean;
  /** Statements by their texts. Values are parameters, so there are few different texts. */
  readonly #known = new Map<string, { name: string | undefined; span: SpanStart }>();

  /** @param arePrepared whether statements have names; if not, they are parsed and planned each time */
  constructor(arePrepared = true) {
    this.#arePrepared = arePrepared;
  }

  async run<Row extends object>(
    connection: Pool | PoolClient,
    { text, values }: Pick<Sql, 'text' | 'values'>,
  ): Promise<Row[]> {
    const count = statementCount.getStore();
    if (count) count.statements++;
    const { name, span } = this.#known.get(text) ?? this.#add(text);
    const result = await traced(
      () => span,
      () => connection.query<Row>({ name, text, values }),
    );
    return result.rows;
  }

  #add(text: string) {
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
    const added = {
      name: this.#arePrepared ? nameOf(text) : undefined,
      span: { name: describeStatement(text), kind: 'client' as const, attributes },
    };
    this.#known.set(text, added);
    return added;
  }
}

/**
 * Returns the name of a prepared statement. It depends only on the text: behind a pooler, processes
 * may share a connection, and if each chose its own names, one name could stand for two statements.
 */
const nameOf = (text: string): string =>
  `s${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;

const COMMENT = /\/\*.*?\*\/|--[^\n]*/gs;
/** Matches a change and its table. `FOR UPDATE` and `DO UPDATE` are excluded, as they name no table. */
const CHANGE = /\b(INSERT|DELETE|(?<!(?:FOR|KEY|DO)\s+)UPDATE)(?: INTO| FROM)?\s+"?(\w+)/i;
const VERB = /\b(SELECT|VACUUM|LOCK)\b/i;
const TABLE = /\b(?:FROM|JOIN)\s+"?(\w+)/i;

/**
 * Returns the name of a statement's span: its first change and the table, such as `INSERT event_outbox`,
 * or else its first verb and the first table that it reads.
 */
export function describeStatement(text: string): string {
  const code = text.replaceAll(COMMENT, ' ');
  const change = CHANGE.exec(code);
  if (change) return `${change[1]} ${change[2]}`;
  const [, verb = 'statement'] = VERB.exec(code) ?? [];
  const [, table] = TABLE.exec(code) ?? [];
  return table ? `${verb} ${table}` : verb;
}
