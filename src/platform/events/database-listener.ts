import { EventEmitter, once } from 'node:events';
import { Client } from 'pg';
import { HostRotation } from '../database/hosts.ts';
import { BackgroundLoop, type LoopDependencies } from '../loops/background-loop.ts';

const RECONNECT_MS = 1_000;
/** How often the listening connection is checked with a query. */
const PING_INTERVAL_MS = 4_000;
const CLOSE_MS = 1_000;

/** Receives the payload of a notification; undefined when notifications may have been missed. */
export type Listener = (payload: string | undefined) => void;

interface DatabaseListenerDependencies extends LoopDependencies {
  /** The URL of the server itself: a pooler could pass notifications to any of its clients. */
  databaseUrl: string;
}

/** Receives PostgreSQL's notifications on its own connection, so that it occupies no pooled connection. */
export class DatabaseListener {
  readonly #hosts: HostRotation;
  /** Emits the payloads of notifications, under the names of their channels. */
  readonly #channels = new EventEmitter<Record<string, Parameters<Listener>>>();
  readonly #loop: BackgroundLoop;
  #client: Client | undefined;
  #isListening = false;

  constructor(deps: DatabaseListenerDependencies) {
    this.#hosts = new HostRotation(deps.databaseUrl);
    this.#loop = new BackgroundLoop(deps, {
      name: 'database-listener',
      everyMs: PING_INTERVAL_MS,
      run: () => (this.#client ? ping(this.#client) : this.#listen()),
      failure: 'Notifications from the database cannot be received at the moment.',
    });
  }

  /** Whether notifications are received, as far as is known. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Adds a listener. Call this before `start`. A channel may have several listeners. */
  on(channel: string, listener: Listener): void {
    this.#channels.on(channel, listener);
  }

  start(): void {
    this.#loop.start();
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    const stopped = this.#loop.stop();
    if (this.#client) await close(this.#client);
    await stopped;
  }

  async #listen(): Promise<void> {
    const { url } = this.#hosts;
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      // Shorter than the interval, so that a ping has failed before the next one is due.
      query_timeout: PING_INTERVAL_MS - 500,
      application_name: 'collaboration-backend feed',
    });
    this.#client = client;
    client.on('notification', ({ channel, payload }) => this.#channels.emit(channel, payload));
    // Without this listener, a broken connection would end the process.
    client.on('error', () => undefined);
    client.on('end', () => this.#handleEnd(client, url));
    try {
      await connectUnlessEnded(client);
      for (const channel of this.#channels.eventNames()) await client.query(`LISTEN ${channel}`);
    } catch (error) {
      await close(client);
      this.#handleEnd(client, url);
      throw error;
    }
    this.#isListening = true;
    for (const channel of this.#channels.eventNames()) this.#channels.emit(channel, undefined);
  }

  /** Reconnects soon, to the next host: a standby accepts no LISTEN, but the next host may be the primary. */
  #handleEnd(client: Client, url: string): void {
    if (this.#client !== client) return;
    this.#hosts.leave(url);
    this.#client = undefined;
    this.#isListening = false;
    this.#loop.wake(RECONNECT_MS);
  }
}

/** Connects a client. Rejects if the client is ended meanwhile, because `connect` would then never settle. */
async function connectUnlessEnded(client: Client): Promise<void> {
  const ended = once(client, 'end').then(() => {
    throw new Error('The connection ended.');
  });
  ended.catch(() => undefined);
  await Promise.race([client.connect(), ended]);
}

/** Closes a connection if it is dead, or if its server is a standby, which sends no notifications. */
async function ping(client: Client): Promise<void> {
  try {
    const { rows } = await client.query('SELECT pg_is_in_recovery() AS "isStandby"');
    if (rows[0]?.isStandby) await close(client);
  } catch {
    client.connection.stream.destroy();
  }
}

/** Closes a connection. Without the deadline, this would wait forever if the network drops packets. */
async function close(client: Client): Promise<void> {
  const deadline = setTimeout(() => client.connection.stream.destroy(), CLOSE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(deadline);
}
