import { Client } from 'pg';
import { type Database, sql } from '../database/database.ts';
import type { Logger } from '../logging.ts';
import { LOG_CHANNEL, newestSequence } from './event-log.ts';

/** How late an event may come when the notification for it is lost. */
const POLL_INTERVAL_MS = 500;
const RECONNECT_MS = 1_000;
const BATCH = 1_000;

/** An event without its data: what a follower needs to know that something changed. */
export interface FeedEvent {
  sequence: string;
  tenantId: string;
  type: string;
  organizationId: string | null;
  documentId: string | null;
}

interface Parts {
  db: Database;
  /** For a connection of its own to listen on: a pooled one would be lost to the others. */
  databaseUrl: string;
  log: Logger;
}

/**
 * Follows the log across all tenants, from when it was started. Each batch is handed over once, in
 * order; when the handler fails it comes again. PostgreSQL wakes it, polling is the floor.
 */
export class EventFeed {
  readonly #parts: Parts;
  readonly #handle: (events: FeedEvent[]) => Promise<void>;
  #cursor: string | undefined;
  #listener: Client | undefined;
  #poll: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #wokenMeanwhile = false;
  #stopped = false;

  constructor(parts: Parts, handle: (events: FeedEvent[]) => Promise<void>) {
    this.#parts = parts;
    this.#handle = handle;
  }

  /** Begins with what comes after the cursor; without one, with what comes next. */
  start(cursor?: string): void {
    this.#cursor = cursor;
    this.#poll = setInterval(() => this.#wake(), POLL_INTERVAL_MS);
    this.#wake();
    void this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    clearTimeout(this.#reconnect);
    await this.#reading;
    await this.#listener?.end().catch(() => undefined);
  }

  #wake(): void {
    if (this.#stopped) return;
    this.#wokenMeanwhile = true;
    this.#reading ??= this.#readAll();
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#wokenMeanwhile && !this.#stopped) {
        this.#wokenMeanwhile = false;
        await this.#readBatches();
      }
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'The event log cannot be followed at the moment.');
    }
    // In the same turn as the last look, so that no call to wake is lost in between.
    this.#reading = undefined;
  }

  async #readBatches(): Promise<void> {
    const { db } = this.#parts;
    this.#cursor ??= await newestSequence(db);
    for (;;) {
      const events: FeedEvent[] = await db.query<FeedEvent>(sql`
        SELECT sequence::text, tenant_id AS "tenantId", type,
               organization_id AS "organizationId", document_id AS "documentId"
        FROM events /* all tenants */
        WHERE sequence > ${this.#cursor}::bigint ORDER BY events.sequence LIMIT ${BATCH}`);
      const last = events.at(-1);
      if (!last) return;
      await this.#handle(events);
      this.#cursor = last.sequence;
      if (events.length < BATCH) return;
    }
  }

  async #listen(): Promise<void> {
    const client = new Client({
      connectionString: this.#parts.databaseUrl,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: 'collaboration-backend feed',
    });
    this.#listener = client;
    client.on('notification', () => this.#wake());
    // Without a listener for it, a connection that breaks would end the process.
    client.on('error', () => undefined);
    client.on('end', () => this.#listenAgain());
    try {
      await client.connect();
      await client.query(`LISTEN ${LOG_CHANNEL}`);
      this.#wake();
    } catch {
      await client.end().catch(() => undefined);
      this.#listenAgain();
    }
  }

  #listenAgain(): void {
    if (this.#stopped) return;
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => void this.#listen(), RECONNECT_MS);
  }
}
