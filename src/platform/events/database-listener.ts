import { Client } from 'pg';
import { BackgroundLoop, type LoopParts } from '../loops/background-loop.ts';

const RECONNECT_MS = 1_000;
/** How often the listening connection is checked with a query. */
const PING_INTERVAL_MS = 4_000;
const GOODBYE_MS = 1_000;

/** Receives a notification; undefined when some may have been missed. */
export type Listener = (payload: string | undefined) => void;

interface Parts extends LoopParts {
  databaseUrl: string;
}

/**
 * Receives PostgreSQL's notifications on its own connection, so that it occupies none of the pool.
 */
export class DatabaseListener {
  readonly #databaseUrl: string;
  readonly #listeners = new Map<string, Listener>();
  readonly #loop: BackgroundLoop;
  #client: Client | undefined;
  #isListening = false;

  constructor(parts: Parts) {
    this.#databaseUrl = parts.databaseUrl;
    this.#loop = new BackgroundLoop(parts, {
      name: 'notifications of the database',
      everyMs: PING_INTERVAL_MS,
      run: () => (this.#client ? ping(this.#client) : this.#listen()),
      failure: 'Notifications of the database cannot be heard at the moment.',
    });
  }

  /** Whether notifications are received, as far as is known. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** To be called before the start. */
  on(channel: string, listener: Listener): void {
    this.#listeners.set(channel, listener);
  }

  start(): void {
    this.#loop.start();
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    const stopped = this.#loop.stop();
    if (this.#client) await sayGoodbye(this.#client);
    await stopped;
  }

  async #listen(): Promise<void> {
    const client = new Client({
      connectionString: this.#databaseUrl,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      query_timeout: PING_INTERVAL_MS - 500,
      application_name: 'collaboration-backend feed',
    });
    this.#client = client;
    client.on('notification', ({ channel, payload }) => this.#listeners.get(channel)?.(payload));
    // Without this listener, a broken connection would end the process.
    client.on('error', () => undefined);
    client.on('end', () => this.#ended(client));
    try {
      await client.connect();
      for (const channel of this.#listeners.keys()) await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await sayGoodbye(client);
      this.#ended(client);
      throw error;
    }
    this.#isListening = true;
    for (const listener of this.#listeners.values()) listener(undefined);
  }

  #ended(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#isListening = false;
    this.#loop.wake(RECONNECT_MS);
  }
}

/** A dead connection, or one to a server that is no longer the primary, receives nothing. */
async function ping(client: Client): Promise<void> {
  try {
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS "isStandby"');
    if (rows[0]?.isStandby) await sayGoodbye(client);
  } catch {
    client.connection.stream.destroy();
  }
}

/** Closing would wait for ever where a network drops packets. */
async function sayGoodbye(client: Client): Promise<void> {
  const deadline = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(deadline);
}
