import type { WebSocket } from 'ws';
import { refuseSocket } from './refusal.ts';

/**
 * Sockets that may be without a valid token at a time, for how long each, and how long more of them
 * may be there: what they sent may have come, and not been read.
 */
export const ADMISSIONS = { sockets: 1_000, ms: 10_000, graceMs: 250 };

/**
 * Sockets that have shown no valid token yet. Anybody can open them, so they are few. When more come,
 * as when all editors come back at once, those go that were refused, and then those that have shown
 * nothing for longest; none goes while its token is being looked at. Who had to go may come back.
 */
export class Admissions {
  readonly #most: typeof ADMISSIONS;
  readonly #deadlines = new Map<WebSocket, number>();
  readonly #timers = new Map<WebSocket, NodeJS.Timeout>();
  /** Those that have shown no token, and only bad ones, in the order in which they may have to go. */
  readonly #silent = new Set<WebSocket>();
  readonly #refused = new Set<WebSocket>();
  #enforcing: NodeJS.Timeout | undefined;

  constructor(most = ADMISSIONS) {
    this.#most = most;
  }

  begin(socket: WebSocket): void {
    this.#deadlines.set(socket, performance.now() + this.#most.ms);
    socket.once('close', () => this.end(socket));
    this.#wait(socket, this.#silent);
  }

  /** A token has come, and is being looked at. */
  beginCheck(socket: WebSocket): void {
    this.#waitNoLonger(socket);
  }

  /** None of the tokens that have come is good, or being looked at. */
  refuse(socket: WebSocket): void {
    this.#wait(socket, this.#refused);
  }

  /** It has shown a valid token, or is gone. */
  end(socket: WebSocket): void {
    this.#waitNoLonger(socket);
    this.#deadlines.delete(socket);
  }

  #wait(socket: WebSocket, among: Set<WebSocket>): void {
    const deadline = this.#deadlines.get(socket);
    if (deadline === undefined) return;
    this.#waitNoLonger(socket);
    const leftMs = Math.max(0, deadline - performance.now());
    this.#timers.set(
      socket,
      setTimeout(() => this.#turnAway(socket), leftMs),
    );
    among.add(socket);
    if (this.#isOver) this.#enforceSoon();
  }

  #waitNoLonger(socket: WebSocket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
    this.#silent.delete(socket);
    this.#refused.delete(socket);
  }

  #turnAway(socket: WebSocket): void {
    this.end(socket);
    refuseSocket(socket, 'UNAVAILABLE');
  }

  get #isOver(): boolean {
    return this.#timers.size > this.#most.sockets;
  }

  /** Before an immediate, whatever has come by then over any socket is read. */
  #enforceSoon(): void {
    this.#enforcing ??= setTimeout(() => setImmediate(() => this.#enforce()), this.#most.graceMs);
  }

  #enforce(): void {
    this.#enforcing = undefined;
    for (const socket of [...this.#refused, ...this.#silent]) {
      if (!this.#isOver) return;
      this.#turnAway(socket);
    }
  }
}
