import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../api/context.ts';
import { appRouter, jobHandlers } from '../features/index.ts';
import { createQuickstart } from '../features/workspaces/quickstart.ts';
import type { EventReaders } from '../platform/events/event-readers.ts';
import { flushLog } from '../platform/logging.ts';
import type { ProcessRecorder } from '../platform/processes/process-recorder.ts';
import { redactSecrets } from '../platform/redact-secrets.ts';
import { waitFor } from '../platform/wait-for.ts';
import type { Workers } from '../platform/worker.ts';
import type { Realtime } from '../realtime/realtime.ts';
import { addDemo } from './demo.ts';
import type { Foundation } from './foundation.ts';
import { baseUrl, listen } from './listen.ts';
import { printAddresses, printFirstStart } from './welcome.ts';

/** How long a stop waits for the log to be written, in case the reader of standard output hangs. */
const LOG_FLUSH_MS = 1_000;

interface Dependencies
  extends Pick<Foundation, 'feed' | 'dataDir' | 'isAdminTokenNew' | 'lifecycle'> {
  services: Services;
  http: FastifyInstance;
  /** Serves the metrics on METRICS_PORT, if it is set. */
  metricsServer: FastifyInstance | undefined;
  realtime: Realtime;
  readers: EventReaders<Services>;
  workers: Workers<Services>;
  recorder: ProcessRecorder;
  /** Whether the workspace of the first start is filled with an example. */
  withDemo: boolean;
  disposables: AsyncDisposableStack;
}

export class RunningApp {
  readonly services: Services;
  readonly #deps: Dependencies;
  #stopped: Promise<void> | undefined;

  constructor(deps: Dependencies) {
    this.services = deps.services;
    this.#deps = deps;
  }

  /** The URL of the started server. */
  get url(): string {
    const { port } = this.#deps.http.server.address() as AddressInfo;
    return baseUrl(this.services.config.host, port);
  }

  async start(): Promise<void> {
    const { config, log } = this.services;
    try {
      await this.#startParts();
      // With PORT=0, the default of PUBLIC_URL is known only now.
      if (config.publicUrl === baseUrl(config.host, 0)) config.publicUrl = this.url;
      log.info({ url: this.url }, 'listening');
      await this.#welcome();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#deps.lifecycle.enter('serving');
  }

  async #startParts(): Promise<void> {
    const { services, http, realtime, feed, readers, recorder } = this.#deps;
    const { config, dueWork, events, jobs, gate, live } = services;
    dueWork.start();
    events.start(dueWork);
    await feed.start();
    realtime.start();
    realtime.serve(http.server, services, appRouter);
    gate.streams.start();
    if (config.roles.has('api')) live.start();
    await jobs.start([...jobHandlers, readers.jobHandler], services);
    await this.#startWorkers();
    await listen(http, { host: config.host, port: config.port, portSetting: 'PORT' });
    await this.#serveMetrics();
    recorder.start();
  }

  /** Creates a workspace on the first start, and prints the credentials and addresses that are needed next. */
  async #welcome(): Promise<void> {
    const { services, http, dataDir, isAdminTokenNew, withDemo } = this.#deps;
    const { config, log } = services;
    const quickstart = config.production ? undefined : await createQuickstart(services, dataDir);
    if (quickstart && withDemo) await addDemo(http, quickstart);
    // Print these lines after the log lines of the start, not between them.
    await flushLog(log);
    if (quickstart) printFirstStart(quickstart, dataDir.path);
    if (!config.production) printAddresses(services, dataDir.path);
    if (isAdminTokenNew && !quickstart) {
      process.stdout.write(
        `Admin token (shown once; kept in ${dataDir.path}): ${config.adminToken}\n`,
      );
    }
  }

  async #serveMetrics(): Promise<void> {
    const { services, metricsServer } = this.#deps;
    const { host, metricsPort: port } = services.config;
    if (metricsServer && port)
      await listen(metricsServer, { host, port, portSetting: 'METRICS_PORT' });
  }

  async #startWorkers(): Promise<void> {
    const { services, readers, workers } = this.#deps;
    await readers.register();
    if (!services.config.roles.has('worker')) return;
    workers.start(services);
    readers.start(services);
  }

  /**
   * Keeps serving for SHUTDOWN_DELAY_SECONDS, while `/readyz` reports that the server is stopping. Then
   * refuses new requests, finishes running ones, stores open documents, and releases all resources.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { lifecycle, services, disposables } = this.#deps;
    const delayMs = lifecycle.isServing ? services.config.shutdownDelayMs : 0;
    lifecycle.enter('stopping');
    services.log.info({ delayMs }, 'stopping');
    if (delayMs > 0) await delay(delayMs);
    await stopParts(disposables);
    services.log.info('stopped');
    // If a write is still running at the exit, the lines after it would be written first, so wait for all of them.
    await waitFor(flushLog(services.log), LOG_FLUSH_MS);
  }
}

/** Stops all parts, the newest first. A part that fails to stop does not hold up the others. */
export async function stopParts(disposables: AsyncDisposableStack): Promise<void> {
  try {
    await disposables.disposeAsync();
  } catch (error) {
    for (const failure of failuresIn(error)) {
      console.error('A part did not stop as it should:', redactSecrets(inspect(failure)));
    }
  }
}

/** Returns the failures in order. A `SuppressedError` holds the last one in `error`, and the earlier ones in `suppressed`. */
const failuresIn = (error: unknown): unknown[] =>
  error instanceof SuppressedError ? [...failuresIn(error.suppressed), error.error] : [error];
