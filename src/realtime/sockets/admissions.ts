import type { WebSocket } from 'ws';
import { refuseSocket } from '../refusal.ts';

/**
 * The most sockets without a valid token, the time each of them has, and how long that number may be
 * exceeded, since their tokens may have arrived without being read.
 */
export const ADMISSIONS = { sockets: 1_000, ms: 10_000, graceMs: 250 };

/**
 * Limits sockets without a valid token, since anybody can open them. Above the limit, as when all
 * editors reconnect at once, refused sockets are closed first, and then those that have waited longest
 * without a token; no socket is closed while its token is being checked. Its client may reconnect.
 */
export class Admissions {
  readonly #limits: typeof ADMISSIONS;
  readonly #deadlines = new Map<WebSocket, number>();
  readonly #timers = new Map<WebSocket, NodeJS.Timeout>();
  /** Sockets that have sent no token yet, the oldest first. */
  readonly #silent = new Set<WebSocket>();
  /** Sockets of which every token was refused, the oldest first. */
  readonly #refused = new Set<WebSocket>();
  #enforcing: NodeJS.Timeout | undefined;

  constructor(limits = ADMISSIONS) {
    this.#limits = limits;
  }

  begin(socket: WebSocket): void {
    this.#deadlines.set(socket, performance.now() + this.#limits.ms);
    socket.once('close', () => this.end(socket));
    this.#wait(socket, this.#silent);
  }

  /** A token has arrived and is being checked. */
  beginCheck(socket: WebSocket): void {
    this.#stopWaiting(socket);
  }

  /** All tokens of the socket were refused, and none is being checked. */
  refuse(socket: WebSocket): void {
    this.#wait(socket, this.#refused);
  }

  /** The socket has shown a valid token, or is closed. */
  end(socket: WebSocket): void {
    this.#stopWaiting(socket);
    this.#deadlines.delete(socket);
  }

  #wait(socket: WebSocket, group: Set<WebSocket>): void {
    const deadline = this.#deadlines.get(socket);
    if (deadline === undefined) return;
    this.#stopWaiting(socket);
    const leftMs = Math.max(0, deadline - performance.now());
    this.#timers.set(
      socket,
      setTimeout(() => this.#disconnect(socket), leftMs),
    );
    group.add(socket);
    if (this.#isOver) this.#enforceSoon();
  }

  #stopWaiting(socket: WebSocket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
    this.#silent.delete(socket);
    this.#refused.delete(socket);
  }

  #disconnect(socket: WebSocket): void {
    this.end(socket);
    refuseSocket(socket, 'UNAVAILABLE');
  }

  get #isOver(): boolean {
    return this.#timers.size > this.#limits.sockets;
  }

  /** Waits for an immediate, before which all data that has arrived is read. */
  #enforceSoon(): void {
    this.#enforcing ??= setTimeout(() => setImmediate(() => this.#enforce()), this.#limits.graceMs);
  }

  #enforce(): void {
    this.#enforcing = undefined;
    for (const socket of [...this.#refused, ...this.#silent]) {
      if (!this.#isOver) return;
      this.#disconnect(socket);
    }
  }
}
