import type { Pool, PoolClient } from 'pg';
import type { Sql } from 'sql-template-tag';
import { type SpanStart, traced } from '../tracing/tracing.ts';
import { noteStatement } from './statement-count.ts';

/** Runs statements under names, so that each connection prepares a statement once. */
export class Statements {
  /** Whether statements have names; otherwise they are planned each time. */
  readonly arePrepared: boolean;
  /** Names by text. The texts stand in the source, so the map stays small. */
  readonly #names = new Map<string, string>();
  readonly #spans = new Map<string, SpanStart>();

  constructor(arePrepared = true) {
    this.arePrepared = arePrepared;
  }

  nameOf(text: string): string {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `s${this.#names.size}`;
      this.#names.set(text, name);
    }
    return name;
  }

  #spanOf(text: string): SpanStart {
    let start = this.#spans.get(text);
    if (start === undefined) {
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
      start = { name: describeStatement(text), kind: 'client', attributes };
      this.#spans.set(text, start);
    }
    return start;
  }

  async run<Row extends object>(connection: Pool | PoolClient, statement: Sql): Promise<Row[]> {
    noteStatement();
    const { text, values } = statement;
    const name = this.arePrepared ? { name: this.nameOf(text) } : {};
    const span = () => this.#spanOf(text);
    const result = await traced(span, () => connection.query<Row>({ ...name, text, values }));
    return result.rows;
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
