import { type Database, join, sql } from '../database/database.ts';
import type { FeedEvent } from './event-feed.ts';
import type { Selection } from './reader-partitions.ts';

/** A tenant, and a type of its events. */
type Kind = Pick<FeedEvent, 'tenantId' | 'type'>;

/** The most kinds whose readers are kept at a time. */
const MAX_KINDS = 100_000;

/**
 * Finds out which readers handle the events of a tenant. The result is kept until the settings of some
 * tenant change, so an event that no reader handles costs no statement.
 */
export class ReaderInterest {
  readonly #db: Database;
  readonly #readers: Selection[];
  /** The names of the readers that handle each kind. */
  readonly #namesByKind = new Map<string, Promise<string[]>>();

  constructor(db: Database, readers: Selection[]) {
    this.#db = db;
    this.#readers = readers;
  }

  forget(): void {
    this.#namesByKind.clear();
  }

  /** The names of the readers that handle some of the events. Sends at most one statement. */
  async namesFor(events: FeedEvent[]): Promise<Set<string>> {
    const kinds = new Map(events.map((event) => [keyOf(event), event]));
    const unknown = [...kinds]
      .filter(([key]) => !this.#namesByKind.has(key))
      .map(([, kind]) => kind);
    if (unknown.length > 0) this.#lookUp(unknown);
    const names = await Promise.all(kinds.keys().map((key) => this.#namesByKind.get(key)));
    return new Set(names.flatMap((each) => each ?? []));
  }

  #lookUp(kinds: Kind[]): void {
    if (this.#namesByKind.size > MAX_KINDS) this.forget();
    const matching = findMatchingReaders(this.#db, this.#readers, kinds);
    matching.catch(() => this.forget());
    for (const kind of kinds) {
      const key = keyOf(kind);
      const names = matching.then((found) => this.#namesOf(kind, found.get(key) ?? []));
      this.#namesByKind.set(key, names);
    }
  }

  #namesOf({ type }: Kind, matching: string[]): string[] {
    return this.#readers
      .filter(({ types }) => types?.includes(type) ?? true)
      .filter(({ name, where }) => !where || matching.includes(name))
      .map(({ name }) => name);
  }
}

const keyOf = ({ tenantId, type }: Kind): string => `${type} ${tenantId}`;

/** Finds the names of the readers whose condition `where` a kind meets, with one statement for all kinds. */
async function findMatchingReaders(
  db: Database,
  readers: Selection[],
  kinds: Kind[],
): Promise<Map<string, string[]>> {
  const conditions = readers.flatMap(({ name, where }) =>
    where ? sql`SELECT ${name}::text AS name, tenant_id, type FROM published WHERE ${where}` : [],
  );
  if (conditions.length === 0) return new Map();
  const rows = await db.query<Kind & { name: string }>(sql`
    WITH published AS (
      SELECT tenant_id, type
      FROM unnest(${kinds.map(({ tenantId }) => tenantId)}::text[],
                  ${kinds.map(({ type }) => type)}::text[]) AS event(tenant_id, type)
    )
    SELECT name, tenant_id AS "tenantId", type
    FROM (${join(conditions, ' UNION ALL ')}) AS matching`);
  const names = new Map<string, string[]>();
  for (const row of rows) names.set(keyOf(row), [...(names.get(keyOf(row)) ?? []), row.name]);
  return names;
}
