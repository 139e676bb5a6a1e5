import type { WebSocket } from 'ws';
import { refuseSocket } from '../refusal.ts';

export const ADMISSION_LIMITS = {
  /** The most sockets without a valid token. */
  sockets: 1_000,
  /** The time within which a socket has to show a valid token. */
  ms: 10_000,
  /** How long there may be too many sockets: tokens may have arrived that are not read yet. */
  graceMs: 250,
};

/**
 * Limits sockets without a valid token, since anybody can open them. Above the limit, for example when
 * all editors reconnect at once, sockets whose tokens were refused are closed first, and then those that
 * have been open longest without sending one. No socket is closed while its token is being checked.
 */
export class Admissions {
  readonly #limits: typeof ADMISSION_LIMITS;
  readonly #deadlines = new Map<WebSocket, number>();
  readonly #timers = new Map<WebSocket, NodeJS.Timeout>();
  /** Sockets that have sent no token yet, the oldest first. */
  readonly #silent = new Set<WebSocket>();
  /** Sockets on which every token was refused, the oldest first. */
  readonly #refused = new Set<WebSocket>();
  #enforceTimer: NodeJS.Timeout | undefined;

  constructor(limits = ADMISSION_LIMITS) {
    this.#limits = limits;
  }

  /** Limits a new socket. */
  add(socket: WebSocket): void {
    this.#deadlines.set(socket, performance.now() + this.#limits.ms);
    socket.once('close', () => this.remove(socket));
    this.#limit(socket, this.#silent);
  }

  /** Exempts the socket from the limit while a token that has arrived is being checked. */
  exempt(socket: WebSocket): void {
    this.#stopLimiting(socket);
  }

  /** Limits the socket again after all its tokens were refused. */
  addRefused(socket: WebSocket): void {
    this.#limit(socket, this.#refused);
  }

  /** Forgets a socket that has shown a valid token, or is closed. */
  remove(socket: WebSocket): void {
    this.#stopLimiting(socket);
    this.#deadlines.delete(socket);
  }

  #limit(socket: WebSocket, group: Set<WebSocket>): void {
    const deadline = this.#deadlines.get(socket);
    if (deadline === undefined) return;
    this.#stopLimiting(socket);
    const waitMs = Math.max(0, deadline - performance.now());
    const timer = setTimeout(() => this.#disconnect(socket), waitMs);
    this.#timers.set(socket, timer);
    group.add(socket);
    if (this.#exceedsLimit) this.#enforceSoon();
  }

  #stopLimiting(socket: WebSocket): void {
    clearTimeout(this.#timers.get(socket));
    this.#timers.delete(socket);
    this.#silent.delete(socket);
    this.#refused.delete(socket);
  }

  #disconnect(socket: WebSocket): void {
    this.remove(socket);
    refuseSocket(socket, 'UNAVAILABLE');
  }

  get #exceedsLimit(): boolean {
    return this.#timers.size > this.#limits.sockets;
  }

  /** Enforces the limit after the grace period. `setImmediate` lets data that has arrived be read first. */
  #enforceSoon(): void {
    this.#enforceTimer ??= setTimeout(
      () => setImmediate(() => this.#enforce()),
      this.#limits.graceMs,
    );
  }

  #enforce(): void {
    this.#enforceTimer = undefined;
    for (const socket of [...this.#refused, ...this.#silent]) {
      if (!this.#exceedsLimit) return;
      this.#disconnect(socket);
    }
  }
}
