import { Client } from 'pg';
import { type Database, sql } from '../database/database.ts';
import type { Logger } from '../logging.ts';
import { LOG_CHANNEL, newestSequence } from './event-log.ts';

/** How late an event may come when the notification for it is lost. */
const POLL_INTERVAL_MS = 500;
const RECONNECT_MS = 1_000;
/** How often the connection that only listens is asked whether it is still there. */
const PING_INTERVAL_MS = 4_000;
const GOODBYE_MS = 1_000;
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

interface Follower {
  handle: (events: FeedEvent[]) => Promise<void>;
  /** What it has dealt with. Undefined: it begins with what comes next. */
  cursor: bigint | undefined;
}

/** Hears a notification; nothing when some may have been missed. */
type Listener = (payload: string | undefined) => void;

/**
 * Follows the log across all tenants for everything in this process that wants to hear of it; each
 * part of the log is read once. PostgreSQL wakes it, polling is the floor.
 */
export class EventFeed {
  readonly #parts: Parts;
  readonly #followers = new Set<Follower>();
  readonly #listeners = new Map<string, Listener>();
  #listener: Client | undefined;
  #poll: NodeJS.Timeout | undefined;
  #ping: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #wokenMeanwhile = false;
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#poll = setInterval(() => this.#wake(), POLL_INTERVAL_MS);
    this.#ping = setInterval(() => void this.#pingListener(), PING_INTERVAL_MS);
    void this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    clearInterval(this.#ping);
    clearTimeout(this.#reconnect);
    await this.#reading;
    if (this.#listener) await sayGoodbye(this.#listener);
  }

  /**
   * Hands over what comes after the cursor, without one what comes next: once and in order. What a
   * handler fails at comes again, and keeps nobody else waiting.
   *
   * @returns a function that ends it, and waits for what is under way
   */
  follow(handle: Follower['handle'], cursor?: string): () => Promise<void> {
    const follower: Follower = { handle, cursor: cursor === undefined ? cursor : BigInt(cursor) };
    this.#followers.add(follower);
    this.#wake();
    return async () => {
      this.#followers.delete(follower);
      await this.#reading;
    };
  }

  /** Has the connection of this feed listen to another channel too. To be called before the start. */
  listen(channel: string, listener: Listener): void {
    this.#listeners.set(channel, listener);
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
    const failed = new Set<Follower>();
    for (;;) {
      const following = [...this.#followers].filter((follower) => !failed.has(follower));
      if (following.length === 0) return;
      const events = await readAfter(this.#parts.db, await this.#earliest(following));
      await Promise.all(
        following.map(async (follower) => {
          if (!(await this.#hand(follower, events))) failed.add(follower);
        }),
      );
      if (events.length < BATCH) return;
    }
  }

  async #earliest(followers: Follower[]): Promise<bigint> {
    const newcomers = followers.filter(({ cursor }) => cursor === undefined);
    if (newcomers.length > 0) {
      const newest = BigInt(await newestSequence(this.#parts.db));
      for (const follower of newcomers) follower.cursor = newest;
    }
    const cursors = followers.flatMap(({ cursor }) => cursor ?? []);
    return cursors.reduce((least, cursor) => (cursor < least ? cursor : least));
  }

  /** @returns false when it failed */
  async #hand(follower: Follower, events: FeedEvent[]): Promise<boolean> {
    const { cursor = 0n } = follower;
    const fresh = events.filter(({ sequence }) => BigInt(sequence) > cursor);
    const last = fresh.at(-1);
    if (!last) return true;
    try {
      await follower.handle(fresh);
      follower.cursor = BigInt(last.sequence);
      return true;
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'What follows the event log failed and will try again.');
      return false;
    }
  }

  async #listen(): Promise<void> {
    const client = new Client({
      connectionString: this.#parts.databaseUrl,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      query_timeout: PING_INTERVAL_MS - 500,
      application_name: 'collaboration-backend feed',
    });
    this.#listener = client;
    client.on('notification', ({ channel, payload }) => {
      if (channel === LOG_CHANNEL) this.#wake();
      else this.#listeners.get(channel)?.(payload);
    });
    // Without a listener for it, a connection that breaks would end the process.
    client.on('error', () => undefined);
    client.on('end', () => this.#listenAgain());
    try {
      await client.connect();
      for (const channel of [LOG_CHANNEL, ...this.#listeners.keys()]) {
        await client.query(`LISTEN ${channel}`);
      }
      this.#wake();
      for (const listener of this.#listeners.values()) listener(undefined);
    } catch {
      await client.end().catch(() => undefined);
      this.#listenAgain();
    }
  }

  /** A connection that is dead, or to a server that nobody writes to any more, hears of nothing. */
  async #pingListener(): Promise<void> {
    const client = this.#listener;
    if (!client) return;
    try {
      const { rows } = await client.query('SELECT pg_is_in_recovery() AS "isStandby"');
      if (rows[0]?.isStandby) await client.end();
    } catch {
      client.connection.stream.destroy();
    }
  }

  #listenAgain(): void {
    if (this.#stopped) return;
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => void this.#listen(), RECONNECT_MS);
  }
}

/** A network that swallows packets would let that take for ever. */
async function sayGoodbye(client: Client): Promise<void> {
  const deadline = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(deadline);
}

const readAfter = (db: Database, position: bigint): Promise<FeedEvent[]> =>
  db.query<FeedEvent>(sql`
    SELECT sequence::text, tenant_id AS "tenantId", type,
           organization_id AS "organizationId", document_id AS "documentId"
    FROM events /* all tenants */
    WHERE sequence > ${String(position)}::bigint ORDER BY events.sequence LIMIT ${BATCH}`);
