import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf, StartError } from '../../start-error.ts';
import { stopOrphan } from './orphan.ts';
import { Server, type ServerOptions } from './server.ts';
import { urlFor } from './settings.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** After this uptime, a server counts as recovered, and the next pause is the shortest one again. */
const RECOVERED_MS = 10_000;

/** Starts a server, and restarts it on its port whenever it ends unexpectedly. */
export async function startSupervised(options: Omit<ServerOptions, 'port'>) {
  const { log, password } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const first = await startOnFreePort(options);
  const { port } = first;
  let { server } = first;
  const restart = async () => {
    try {
      server = new Server({ ...options, port });
      await server.untilReady();
      log.info({}, 'PostgreSQL is running again.');
    } catch (error) {
      // A server that does not become ready is ended. The next one starts after a pause.
      await server.end();
      if (!signal.aborted) {
        log.error({}, `PostgreSQL could not be started again: ${reasonOf(error)}.`);
      }
    }
  };
  const watch = async () => {
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedAt = performance.now();
      const exitReason = await server.ended;
      if (signal.aborted) return;
      if (performance.now() - startedAt > RECOVERED_MS) pauseMs = FIRST_PAUSE_MS;
      log.error(
        { how: exitReason, lastLines: server.lastLines },
        `PostgreSQL ended unexpectedly (${exitReason}). It will be started again in ${pauseMs} ms.`,
      );
      // Aborting the pause only ends it early.
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      await restart();
    }
  };
  void watch();
  const stop = async () => {
    stopping.abort();
    await server.end();
  };
  return { url: urlFor(password, port), stop };
}

const MAX_ATTEMPTS = 20;
const PAUSE_MS = 250;

/**
 * Matches failures that a retry may resolve, such as a port that was just taken, or an orphan that is
 * still ending.
 */
const TEMPORARY_FAILURES =
  /Address already in use|memory block .* is still in use|"postmaster.pid" already exists/;

async function startOnFreePort(options: Omit<ServerOptions, 'port'>) {
  for (let attempt = 1; ; attempt++) {
    await stopOrphan(options.data, options.log);
    const port = await findFreePort();
    const server = new Server({ ...options, port });
    try {
      await server.untilReady();
      return { server, port };
    } catch (error) {
      await server.end();
      if (attempt === MAX_ATTEMPTS || !TEMPORARY_FAILURES.test(server.lastLines)) {
        throw startError(options.data, error, server.lastLines);
      }
      await delay(PAUSE_MS);
    }
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No TCP port was given.');
  return address.port;
}

function startError(data: string, error: unknown, lastLines: string): StartError {
  const output = lastLines === '' ? '' : ` PostgreSQL said:\n${lastLines}`;
  return new StartError(
    `The embedded PostgreSQL on ${data} did not start: ${reasonOf(error)}.${output}`,
  );
}
