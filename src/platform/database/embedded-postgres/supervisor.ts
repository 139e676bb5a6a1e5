import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../../start-error.ts';
import { startOnFreePort } from './first-start.ts';
import { Server, type ServerOptions } from './server.ts';
import { urlFor } from './settings.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** After this uptime a server counts as recovered, and a new failure starts the delays again. */
const STEADY_MS = 10_000;

/** Starts a server, and restarts it on its port whenever it ends unexpectedly. */
export async function startSupervised(options: Omit<ServerOptions, 'port'>) {
  const { server, port } = await startOnFreePort(options);
  const supervisor = new Supervisor(server, { ...options, port });
  return { url: urlFor(options.password, port), stop: () => supervisor.stop() };
}

class Supervisor {
  readonly #options: ServerOptions;
  readonly #stopping = new AbortController();
  #server: Server;

  constructor(server: Server, options: ServerOptions) {
    this.#server = server;
    this.#options = options;
    void this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#server.end();
  }

  async #watch(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.#stopping.signal.aborted) {
      const startedAt = Date.now();
      const how = await this.#server.ended;
      if (this.#stopping.signal.aborted) return;
      if (Date.now() - startedAt > STEADY_MS) pauseMs = FIRST_PAUSE_MS;
      this.#report(how, pauseMs);
      await this.#pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      if (!this.#stopping.signal.aborted) await this.#restart();
    }
  }

  #report(how: string, pauseMs: number): void {
    this.#options.log.error(
      { how, lastLines: this.#server.lastLines },
      `PostgreSQL ended unexpectedly (${how}). It is started again in ${pauseMs} ms.`,
    );
  }

  async #pause(pauseMs: number): Promise<void> {
    // An aborted pause is merely a short one.
    await sleep(pauseMs, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {});
  }

  /** A server that does not become ready is stopped, and the loop then restarts it. */
  async #restart(): Promise<void> {
    try {
      this.#server = new Server(this.#options);
      await this.#server.untilReady();
      this.#options.log.info({}, 'PostgreSQL is running again.');
    } catch (error) {
      await this.#server.end();
      if (this.#stopping.signal.aborted) return;
      this.#options.log.error({}, `PostgreSQL could not be started again: ${reasonOf(error)}.`);
    }
  }
}
