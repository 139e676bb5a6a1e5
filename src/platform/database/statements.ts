import type { Pool, PoolClient } from 'pg';
import type { Sql } from 'sql-template-tag';
import { type SpanStart, traced } from '../tracing/tracing.ts';
import { noteStatement } from './statement-count.ts';

/** Runs statements under names, so that each connection prepares a statement once. */
export class Statements {
  readonly #arePrepared: boolean;
  /** By text. The texts stand in the source, so the map stays small. */
  readonly #known = new Map<string, { name: string | undefined; span: SpanStart }>();

  /** @param arePrepared whether statements have names; otherwise they are planned each time */
  constructor(arePrepared = true) {
    this.#arePrepared = arePrepared;
  }

  async run<Row extends object>(connection: Pool | PoolClient, statement: Sql): Promise<Row[]> {
    noteStatement();
    const { text, values } = statement;
    const { name, span } = this.#known.get(text) ?? this.#add(text);
    const query = { ...(name !== undefined && { name }), text, values };
    const result = await traced(
      () => span,
      () => connection.query<Row>(query),
    );
    return result.rows;
  }

  #add(text: string) {
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
    const added = {
      name: this.#arePrepared ? `s${this.#known.size}` : undefined,
      span: { name: describeStatement(text), kind: 'client' as const, attributes },
    };
    this.#known.set(text, added);
    return added;
  }
}

/** The first action of a statement and its table, as the name of its span: `INSERT event_outbox`. */
export function describeStatement(text: string): string {
  const plain = text.replaceAll(/\/\*.*?\*\/|--.*$/gms, ' ');
  const [, verb = ''] = /\b(SELECT|INSERT|UPDATE|DELETE|VACUUM|LOCK)\b/i.exec(plain) ?? [];
  const changed = /\b(INSERT INTO|DELETE FROM|UPDATE)\s+"?(\w+)/i.exec(plain);
  const [, , table] = changed ?? /\b(FROM|JOIN)\s+"?(\w+)/i.exec(plain) ?? [];
  const [word] = changed?.[1]?.split(' ') ?? [verb];
  return [word, table].filter(Boolean).join(' ') || 'statement';
}
