import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf, StartError } from '../../start-error.ts';
import { stopOrphan } from './orphan.ts';
import { Server, type ServerOptions } from './server.ts';

const ATTEMPTS = 20;
const PAUSE_MS = 250;

/**
 * Failures that a retry may resolve, such as a port that was just taken, or an orphan that is still
 * ending.
 */
const PASSING_TROUBLE =
  /Address already in use|memory block .* is still in use|"postmaster.pid" already exists/;

export async function startOnFreePort(options: Omit<ServerOptions, 'port'>) {
  for (let attempt = 1; ; attempt++) {
    await stopOrphan(options.data, options.log);
    const port = await findFreePort();
    const server = new Server({ ...options, port });
    try {
      await server.untilReady();
      return { server, port };
    } catch (error) {
      await server.end();
      if (attempt === ATTEMPTS || !PASSING_TROUBLE.test(server.lastLines)) {
        throw startError(options.data, error, server.lastLines);
      }
      await sleep(PAUSE_MS);
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
  const said = lastLines === '' ? '' : ` PostgreSQL said:\n${lastLines}`;
  return new StartError(
    `The embedded PostgreSQL on ${data} did not start: ${reasonOf(error)}.${said}`,
  );
}
