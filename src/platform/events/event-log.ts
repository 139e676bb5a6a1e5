import { jsonLists } from '../chunks.ts';
import type { Clock } from '../clock.ts';
import { type Sql, sql, type Transaction } from '../database/database.ts';
import { Pace } from '../event-loop.ts';
import { newId } from '../ids.ts';
import { writeJson } from '../json.ts';
import { assertEvent, type EventTypes } from './event-types.ts';
import { eventColumns } from './move-events.ts';
import { Sequencer, type SequencerDependencies } from './sequencer.ts';

/** An event that a feature publishes when it changes something. */
export interface NewEvent {
  /** Such as `document.add`. */
  type: string;
  organizationId?: string;
  documentId?: string;
  /** `organization:<id>`, `folder:<id>`, `document:<id>`, `user:<id>`. */
  channels: string[];
  /** The resource as the read operations present it, so that readers need no model of features. */
  data: unknown;
}

interface EventLogDependencies extends SequencerDependencies {
  /** The types that may be published. */
  types: EventTypes;
}

/**
 * The transactional outbox and the event log.
 *
 * If changes numbered their own events, the numbers could not be cursors: a lower number may be
 * committed after a higher one, which a reader has already passed. So a change inserts its events into
 * the outbox, in its own transaction, and the sequencer moves committed events into the log and numbers
 * them there, one move at a time. A move that sees a change also sees all changes on which that change
 * builds. Within a move, the order is that of the outbox, where a change that waited for a row lock
 * comes after the change that held it. So the log has a commit order without gaps, and its numbers are
 * cursors.
 */
export class EventLog extends Sequencer {
  readonly #clock: Clock;
  readonly #types: EventTypes;

  constructor(deps: EventLogDependencies) {
    super(deps);
    this.#clock = deps.clock;
    this.#types = deps.types;
  }

  /**
   * Writes events at the end of the transaction of their change, with one statement unless they are
   * large. Pass many events as an iterator, which builds them one by one:
   * `rows.values().map(eventOf)`.
   */
  async append(tx: Transaction, tenantId: string, events: Iterable<NewEvent>): Promise<void> {
    const pace = new Pace();
    const rows: string[] = [];
    for (const event of events) {
      await pace.next();
      assertEvent(this.#types, event.type, event.data);
      await pace.next();
      rows.push(rowOf(event));
    }
    for await (const list of jsonLists(rows)) {
      const selected = sql`
        SELECT * FROM json_to_recordset(${list}::json) AS event(
          id text, type text, organization_id text, document_id text, channels text[], data json)`;
      tx.beforeCommit(this.insertionOf(tenantId, selected));
    }
    if (rows.length > 0) tx.afterCommit(() => this.wake());
  }

  /**
   * Returns SQL that writes the events in `rows`. Call `wake` once it is committed. It does not compare
   * the data with the documented schema, so a test of the caller must do that.
   *
   * @param tenantId a tenant's id, or SQL for the tenant's id of each row
   * @param rows SQL for rows of id, type, organization_id, document_id, channels (text[]) and data
   *   (json), in the order of the events
   */
  insertionOf(tenantId: string | Sql, rows: Sql): Sql {
    return sql`
      INSERT INTO event_outbox (${eventColumns})
      SELECT ${tenantId}::text, id, type, organization_id, document_id, channels, data,
             ${new Date(this.#clock.now())}::timestamptz
      FROM (${rows}) AS event`;
  }
}

/** Returns the row of an event as JSON, without the columns that all rows share. */
function rowOf({ type, organizationId, documentId, channels, data }: NewEvent): string {
  const resource = { organization_id: organizationId, document_id: documentId };
  return writeJson({ id: newId(), type, ...resource, channels, data });
}
