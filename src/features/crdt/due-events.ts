import type { Clock } from '../../platform/clock.ts';
import { type Database, sql, type Transaction } from '../../platform/database/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Threads } from '../../platform/threads.ts';
import { runJob } from './aside/run-job.ts';
import { loadStored } from './log/load-stored.ts';
import { updateEvent } from './update-event.ts';

const SWEEP_INTERVAL_MS = 1_000;

interface Parts {
  db: Database;
  events: EventLog;
  clock: Clock;
  log: Logger;
  threads: Threads;
}

/**
 * Tells of updates that came too soon after the last event, once their time is there. Works from
 * what is stored, so it does not matter which process took the updates, or whether it still lives.
 */
export class DueEvents {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #sweep: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#sweep ??= this.#tellAll().finally(() => {
        this.#sweep = undefined;
      });
    }, SWEEP_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#sweep;
  }

  async #tellAll(): Promise<void> {
    try {
      while (!this.#stopped && (await tellNext(this.#parts)));
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'Events of live documents wait for the database.');
    }
  }
}

/** One editor in each transaction: its row is locked, and its editors' commits wait, only briefly. */
function tellNext(parts: Parts): Promise<boolean> {
  const { db, clock } = parts;
  const now = new Date(clock.now());
  return db.transaction(async (tx) => {
    const [name] = await tx.query<LiveDocumentName>(sql`
      SELECT tenant_id AS "tenantId", organization_id AS "organizationId",
             document_id AS "documentId", editor_id AS "editorId"
      FROM crdt_documents /* all tenants */
      WHERE event_due_at <= ${now}
      ORDER BY event_due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`);
    if (!name) return false;
    await tell(tx, parts, name, now);
    return true;
  });
}

async function tell(
  tx: Transaction,
  { events, threads }: Parts,
  name: LiveDocumentName,
  now: Date,
): Promise<void> {
  const stored = await loadStored(tx, name);
  if (!stored) return;
  const content = await runJob(threads, { kind: 'present', stored });
  const facts = { ...stored, version: Number(stored.version) };
  await events.append(tx, name.tenantId, [updateEvent(name, facts, content)]);
  await tx.query(sql`
    UPDATE crdt_documents SET event_at = ${now}, event_due_at = NULL
    WHERE tenant_id = ${name.tenantId} AND log_id = ${stored.logId}::uuid`);
}
