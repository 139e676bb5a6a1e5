import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type Account, processOptionsFor } from './account.ts';
import type { Binaries } from './binaries.ts';
import { endServer } from './ending.ts';
import { LineReader } from './output.ts';
import { serverArguments, urlFor } from './settings.ts';
import { watchOverServer } from './watchdog.ts';

/** The methods of a logger that are used here; pino's logger has them. */
export interface Logger {
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
  log: Logger;
}

/** How long PostgreSQL may say nothing while it starts. Recovery after a crash reports progress. */
const SILENCE_LIMIT_MS = 30_000;

/** One run of the postgres executable. */
export class Server {
  /** Resolves with how it ended, when the process and its sessions are gone. Never rejects. */
  readonly ended: Promise<string>;
  readonly #options: ServerOptions;
  readonly #child;
  readonly #watchdog;
  readonly #output = new LineReader((line) => this.#read(line));
  #phase: 'starting' | 'accepting' | 'ready' | 'ending' | 'ended' = 'starting';
  #lastWordAt = Date.now();

  constructor(options: ServerOptions) {
    const { binaries, account, data, port } = options;
    this.#options = options;
    this.#child = spawn(binaries.postgres, serverArguments(realpathSync(data), port), {
      ...processOptionsFor(account),
      // A process group of its own: Ctrl-C reaches us alone, and we end it when we are done.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#watchdog = watchOverServer(this.#child.pid, realpathSync(data), account);
    this.#child.stderr.setEncoding('utf8').on('data', (text) => this.#output.push(text));
    this.ended = this.#watchEnd();
    this.#leaveNothingBehind();
  }

  /** The last lines that PostgreSQL wrote. */
  get lastLines(): string {
    return this.#output.lastLines();
  }

  /** Returns once a query can be made, and throws with the reason when that will not be. */
  async untilReady(): Promise<void> {
    while (this.#phase !== 'accepting') {
      if (this.#phase === 'ended') throw new Error(`it ended with ${await this.ended}`);
      if (Date.now() - this.#lastWordAt > SILENCE_LIMIT_MS) {
        throw new Error(`it did not get ready within ${SILENCE_LIMIT_MS / 1000} seconds`);
      }
      await sleep(10);
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
    // The server may die while we are connected, which `ended` reports.
    client.on('error', () => {});
    await client.connect();
    await client.end();
  }

  #watchEnd(): Promise<string> {
    return new Promise((resolve) => {
      const end = (how: string) => {
        this.#phase = 'ended';
        this.#watchdog?.stdin?.end();
        resolve(how);
      };
      this.#child.once('error', (error) => end(error.message));
      this.#child.once('close', (code, signal) => end(signal ?? `exit code ${code}`));
    });
  }

  /** Neither our process is kept alive by the server, nor the server by our process. */
  #leaveNothingBehind(): void {
    this.#child.unref();
    if (this.#child.stderr instanceof Socket) this.#child.stderr.unref();
    const endWithUs = () => this.#child.kill('SIGINT');
    process.once('exit', endWithUs);
    void this.ended.then(() => process.off('exit', endWithUs));
  }

  #read(line: string): boolean {
    this.#lastWordAt = Date.now();
    if (line.includes('database system is ready to accept connections')) {
      if (this.#phase === 'starting') this.#phase = 'accepting';
    }
    if (this.#phase !== 'ready') return true;
    forward(line, this.#options.log);
    // Details quote keys and statements: the users' data, which does not belong in a log.
    return /^[A-Z]+: /.test(line) && !line.startsWith('DETAIL:');
  }
}

/** An ERROR is one statement's, and is handled where it was sent; the others are the server's. */
function forward(line: string, log: Logger): void {
  const severity = /^(WARNING|ERROR|FATAL|PANIC): /.exec(line)?.[1];
  if (!severity) return;
  const level = severity === 'WARNING' || severity === 'ERROR' ? 'warn' : 'error';
  log[level]({ severity }, `PostgreSQL: ${line}`);
}
