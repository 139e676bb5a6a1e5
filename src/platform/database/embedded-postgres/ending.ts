import { setTimeout as sleep } from 'node:timers/promises';

interface Running {
  isRunning(): boolean;
  signal(name: NodeJS.Signals): void;
}

/**
 * SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one, after which the next start
 * replays the log. Neither loses a committed row. SIGKILL is for one that no longer listens.
 */
const STEPS: [NodeJS.Signals, number][] = [
  ['SIGINT', 5_000],
  ['SIGQUIT', 6_000],
  ['SIGKILL', 5_000],
];

/** Ends a PostgreSQL server, as gently as it allows. */
export async function endServer(server: Running): Promise<void> {
  for (const [signal, patienceMs] of STEPS) {
    if (!server.isRunning()) return;
    server.signal(signal);
    const deadline = Date.now() + patienceMs;
    while (server.isRunning() && Date.now() < deadline) await sleep(10);
  }
}
