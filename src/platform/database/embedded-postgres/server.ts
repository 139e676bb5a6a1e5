import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type Account, processOptionsFor } from './account.ts';
import type { Binaries } from './binaries.ts';
import { serverArguments, urlFor } from './settings.ts';

/** The methods of a logger that are used here. Both the logger of this process and `console` have them. */
export interface ServerLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface ServerOptions {
  binaries: Binaries;
  account: Account | undefined;
  data: string;
  password: string;
  port: number;
  log: ServerLog;
}

/**
 * How long PostgreSQL may be silent while it starts. A long recovery after a crash is not silent: it
 * reports its progress.
 */
const SILENCE_LIMIT_MS = 30_000;

/** One run of the postgres executable. */
export class Server {
  /** Resolves to the exit code, signal or error once the process and its sessions are gone. Never rejects. */
  readonly ended: Promise<string>;
  readonly #options: ServerOptions;
  readonly #child;
  readonly #watchdog;
  /** The last lines, which contain the reason for a failure. */
  #lines: string[] = [];
  /** The beginning of a line whose end has not arrived yet. */
  #unfinishedLine = '';
  /** `accepting`: a line says that it accepts connections; `ready`: a connection has succeeded. */
  #phase: 'starting' | 'accepting' | 'ready' | 'ending' | 'ended' = 'starting';
  #lastOutputAt = performance.now();

  constructor(options: ServerOptions) {
    const { binaries, account, data, port } = options;
    this.#options = options;
    this.#child = spawn(binaries.postgres, serverArguments(realpathSync(data), port), {
      ...processOptionsFor(account),
      // In a process group of its own, PostgreSQL does not receive Ctrl-C: this process ends it last.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#watchdog = startWatchdog(this.#child.pid, realpathSync(data), account);
    this.#child.stderr.setEncoding('utf8').on('data', (text) => this.#receive(text));
    this.ended = this.#watchEnd();
    this.#endWithProcess();
  }

  get lastLines(): string {
    return tailOf([...this.#lines, this.#unfinishedLine].join('\n'));
  }

  /** Resolves once the server accepts queries. @throws Error with the reason if it fails to start */
  async untilReady(): Promise<void> {
    while (this.#phase !== 'accepting') {
      if (this.#phase === 'ended') throw new Error(`it ended with ${await this.ended}`);
      if (performance.now() - this.#lastOutputAt > SILENCE_LIMIT_MS) {
        throw new Error(`it was not ready within ${SILENCE_LIMIT_MS / 1000} seconds`);
      }
      await delay(10);
    }
    await this.#connect();
    if (this.#phase === 'accepting') this.#phase = 'ready';
  }

  async end(): Promise<void> {
    if (this.#phase !== 'ended') this.#phase = 'ending';
    await endServer({
      isRunning: () => this.#phase !== 'ended',
      signal: (name) => this.#child.kill(name),
    });
  }

  async #connect(): Promise<void> {
    const { password, port } = this.#options;
    const client = new Client({
      connectionString: urlFor(password, port),
      connectionTimeoutMillis: SILENCE_LIMIT_MS,
    });
    // The server may die while this client is connected, which `ended` reports.
    client.on('error', () => {});
    await client.connect();
    await client.end();
  }

  #watchEnd(): Promise<string> {
    return new Promise((resolve) => {
      const end = (exitReason: string) => {
        this.#phase = 'ended';
        this.#watchdog?.stdin?.end();
        resolve(exitReason);
      };
      this.#child.once('error', (error) => end(error.message));
      this.#child.once('close', (code, signal) => end(signal ?? `exit code ${code}`));
    });
  }

  /** The server must neither keep this process alive nor outlive it. */
  #endWithProcess(): void {
    this.#child.unref();
    if (this.#child.stderr instanceof Socket) this.#child.stderr.unref();
    const endWithUs = () => this.#child.kill('SIGINT');
    process.once('exit', endWithUs);
    void this.ended.then(() => process.off('exit', endWithUs));
  }

  /**
   * Splits lines only at line feeds. PostgreSQL indents what follows a line feed in a quoted value.
   * Node's line reader would also split at other separators, so that a user's value could forge lines.
   */
  #receive(text: string): void {
    const lines = (this.#unfinishedLine + text).split('\n');
    this.#unfinishedLine = lines.pop() ?? '';
    for (const line of lines) this.#read(line);
  }

  #read(line: string): void {
    this.#lastOutputAt = performance.now();
    if (line.includes('database system is ready to accept connections')) {
      if (this.#phase === 'starting') this.#phase = 'accepting';
    }
    // Earlier lines may still arrive after `end` was called.
    if (this.#phase === 'ready' || this.#phase === 'ending') {
      forward(line, this.#options.log);
      // Details and contexts are not kept: they quote the users' data, which does not belong in a log.
      if (!/^[A-Z]+: /.test(line) || /^(DETAIL|CONTEXT):/.test(line)) return;
    }
    this.#lines = [...this.#lines, line].slice(-KEPT_LINES);
  }
}

/** Matches a line that a stopping server writes for each connection. The stop itself is logged once. */
const ENDED_CONNECTION =
  /^FATAL: +terminating connection due to (administrator command|unexpected postmaster exit)/;

/**
 * Logs a line of PostgreSQL if it is severe. An ERROR is only a warning, because the sender of the
 * statement handles it. More severe lines concern the whole server.
 */
function forward(line: string, log: ServerLog): void {
  if (ENDED_CONNECTION.test(line)) return;
  const severity = /^(WARNING|ERROR|FATAL|PANIC): /.exec(line)?.[1];
  if (!severity) return;
  const level = severity === 'WARNING' || severity === 'ERROR' ? 'warn' : 'error';
  log[level]({ severity }, `PostgreSQL: ${line}`);
}

const KEPT_LINES = 20;

/** Returns the last lines of PostgreSQL's output, which contain the reason for a failure. */
export function tailOf(text: string): string {
  return text.trim().split('\n').slice(-KEPT_LINES).join('\n');
}

interface Stoppable {
  isRunning(): boolean;
  signal(name: NodeJS.Signals): void;
}

/**
 * SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one, after which the next start
 * replays the log. Neither loses a committed row. SIGKILL is for a server that ignores both.
 */
const STOP_SIGNALS = [
  { signal: 'SIGINT', graceMs: 5_000 },
  { signal: 'SIGQUIT', graceMs: 6_000 },
  { signal: 'SIGKILL', graceMs: 5_000 },
] as const;

/** Ends a PostgreSQL server, as gently as possible. */
export async function endServer(server: Stoppable): Promise<void> {
  for (const { signal, graceMs } of STOP_SIGNALS) {
    if (!server.isRunning()) return;
    server.signal(signal);
    const deadline = performance.now() + graceMs;
    while (server.isRunning() && performance.now() < deadline) await delay(10);
  }
}

/**
 * A shell script that reads from a pipe of this process. The pipe is closed when the process ends,
 * even if it is killed. The script then stops the server, unless the server is gone or another process
 * uses the data. The script reads the server's process id again each time, because ids are reused.
 */
const WATCHDOG_SCRIPT = `
read -r _
runs() { [ "$(head -n 1 "$2/postmaster.pid" 2>/dev/null)" = "$1" ] && kill -0 "$1" 2>/dev/null; }
for signal in INT QUIT KILL; do
  runs "$@" || exit 0
  kill -"$signal" "$1"
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do runs "$@" || exit 0; sleep 1; done
done`;

/** Starts a shell that ends the server `pid` on `data` however this process ends. */
function startWatchdog(
  pid: number | undefined,
  data: string,
  account: Account | undefined,
): ChildProcess | undefined {
  if (pid === undefined) return undefined;
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT, 'watchdog', String(pid), data], {
    ...processOptionsFor(account),
    // A session of its own: neither Ctrl-C nor a closed terminal ends it before its work is done.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // If there is no shell, the next start stops a server that was left running.
  watchdog.on('error', () => {});
  watchdog.stdin?.on('error', () => {});
  watchdog.unref();
  return watchdog;
}
