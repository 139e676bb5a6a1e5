import {
  type Database,
  empty,
  join,
  type Sql,
  sql,
  type Transaction,
} from '../database/database.ts';
import { pipeline } from '../database/pipeline.ts';
import { BackgroundLoop, type LoopParts } from '../loops/background-loop.ts';
import { type DueWork, nowIf } from '../loops/due-work.ts';
import type { EventFeed, FeedEvent } from './event-feed.ts';
import type { LoggedEvent } from './logged-events.ts';

const BATCH = 200;
/** Without their data, events are small. */
const BATCH_WITHOUT_DATA = 500;

/** Reads the log of all tenants, from the moment at which the reader was first deployed. */
export interface EventReader<Context> {
  /** Names its cursor, and so stays as it is. */
  name: string;
  /** The types of events that it handles; others are skipped. Default: all types. */
  types?: readonly string[];
  /** A further SQL condition on `tenant_id` and `type`. Default: none. */
  where?: Sql;
  /** Whether `data` is left out (null), which saves reading the largest part of each event. */
  needsNoData?: boolean;
  /**
   * Handles events in order. The cursor moves in `tx`, so writes in `tx` happen exactly once. Any
   * other effect may be repeated after a crash, and must be idempotent by the event's id.
   */
  handle(context: Context, tx: Transaction, events: LoggedEvent[]): Promise<void>;
}

interface Parts extends LoopParts {
  db: Database;
  feed: EventFeed;
  dueWork: DueWork;
}

/** Runs readers: each runs in one process at a time, whatever the number of processes. */
export class EventReaders<Context> {
  readonly #parts: Parts;
  readonly #readers: Array<EventReader<Context>>;
  /** By the name of the reader. */
  readonly #loops = new Map<string, BackgroundLoop>();
  #leave: Array<() => unknown> = [];

  constructor(parts: Parts, readers: Array<EventReader<Context>>) {
    this.#parts = parts;
    this.#readers = readers;
  }

  /**
   * Creates the cursors, so that readers miss no event from now on, whichever process runs them.
   */
  async register(): Promise<void> {
    const names = this.#readers.map(({ name }) => name);
    await this.#parts.db.query(sql`
      INSERT INTO event_readers (name, sequence)
      SELECT name, COALESCE((SELECT max(sequence) FROM events /* all tenants, background */), 0)
      FROM unnest(${names}::text[]) AS reader(name) ORDER BY name
      ON CONFLICT DO NOTHING`);
  }

  start(context: Context): void {
    for (const reader of this.#readers) this.#startReader(reader, context);
    this.#leave.push(this.#parts.feed.follow((events) => this.#wakeFor(events)));
  }

  /** Waits for the batches in progress. */
  async stop(): Promise<void> {
    await Promise.all(this.#leave.map((leave) => leave()));
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
  }

  #startReader(reader: EventReader<Context>, context: Context): void {
    const { name } = reader;
    const { db, dueWork } = this.#parts;
    const loop = new BackgroundLoop(this.#parts, {
      name: `reader: ${name}`,
      run: () => readBatch(db, reader, context),
      failure: 'A reader of the event log failed and will try again.',
    });
    this.#loops.set(name, loop);
    this.#leave.push(
      dueWork.watch(
        () => isBehind(name),
        () => loop.wake(),
      ),
    );
    loop.start();
    loop.wake();
  }

  /** Wakes the readers of these events. The other cursors advance with the next due-work check. */
  async #wakeFor(events: FeedEvent[]): Promise<void> {
    const published = new Set(events.map(({ type }) => type));
    const concerned = this.#readers.filter(
      ({ types }) => types?.some((type) => published.has(type)) ?? true,
    );
    const wanting = await wantingSome(this.#parts.db, concerned, events);
    for (const { name } of wanting) this.#loops.get(name)?.wake();
  }
}

/** Due when the cursor is behind: the process that read may have died, or a wake-up was lost. */
const isBehind = (name: string): Sql =>
  nowIf(sql`(SELECT sequence FROM event_readers WHERE name = ${name})
            < (SELECT max(sequence) FROM events)`);

/** Returns the readers that want some of the events, with one statement for all. */
async function wantingSome<Reader extends Pick<EventReader<never>, 'name' | 'where'>>(
  db: Database,
  readers: Reader[],
  events: FeedEvent[],
): Promise<Reader[]> {
  const choices = readers.flatMap(({ name, where }) =>
    where
      ? sql`SELECT ${name}::text AS name WHERE EXISTS (SELECT 1 FROM published WHERE ${where})`
      : [],
  );
  if (choices.length === 0) return readers;
  const kinds = new Map(events.map((event) => [`${event.tenantId} ${event.type}`, event]));
  const published = [...kinds.values()];
  const rows = await db.query<{ name: string }>(sql`
    WITH published AS (
      SELECT tenant_id, type
      FROM unnest(${published.map(({ tenantId }) => tenantId)}::text[],
                  ${published.map(({ type }) => type)}::text[]) AS event(tenant_id, type)
    )
    ${join(choices, ' UNION ALL ')}`);
  const wanting = new Set(rows.map(({ name }) => name));
  return readers.filter(({ name, where }) => !where || wanting.has(name));
}

/** @returns whether there may be more events; false while another process reads */
function readBatch<Context>(
  db: Database,
  { name, types, where, needsNoData, handle }: EventReader<Context>,
  context: Context,
): Promise<boolean> {
  const limit = needsNoData ? BATCH_WITHOUT_DATA : BATCH;
  return db.transaction(async (tx) => {
    const [cursor] = await tx.query<{ sequence: string; newest: string }>(sql`
      SELECT sequence::text,
        COALESCE((SELECT max(sequence) FROM events /* all tenants, background */), 0)::text AS newest
      FROM event_readers /* all tenants, background */
      WHERE name = ${name} FOR UPDATE SKIP LOCKED`);
    if (!cursor || BigInt(cursor.newest) <= BigInt(cursor.sequence)) return false;
    const events = await tx.query<LoggedEvent>(sql`
      SELECT tenant_id AS "tenantId", sequence::text, id, type,
             organization_id AS "organizationId", document_id AS "documentId", channels,
             ${needsNoData ? sql`NULL::jsonb` : sql`data`} AS data, created_at AS "createdAt"
      FROM events /* all tenants, background */
      WHERE sequence > ${cursor.sequence}::bigint AND sequence <= ${cursor.newest}::bigint
        ${types ? sql`AND type = ANY(${[...types]})` : empty}
        ${where ? sql`AND ${where}` : empty}
      ORDER BY events.sequence LIMIT ${limit}`);
    const isMore = events.length === limit;
    const last = isMore ? events.at(-1)?.sequence : cursor.newest;
    await pipeline([
      events.length > 0 && handle(context, tx, events),
      tx.query(sql`
        UPDATE event_readers /* all tenants, background */ SET sequence = ${last}::bigint
        WHERE name = ${name}`),
    ]);
    return isMore;
  });
}
