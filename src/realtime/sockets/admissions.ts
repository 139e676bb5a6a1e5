import type { WebSocket } from 'ws';
import { refuseSocket } from '../refusal.ts';

export const ADMISSIONS = {
  /** The most sockets without a valid token. */
  sockets: 1_000,
  /** The time within which a socket has to show a token. */
  ms: 10_000,
  /** How long there may be more sockets, since their tokens may have arrived without being read. */
  graceMs: 250,
};

/**
 * Limits sockets without a valid token, since anybody can open them. Above the limit, as when all
 * editors reconnect at once, refused sockets are closed first, and then those that have waited longest
 * without a token; no socket is closed while its token is being checked. Clients may reconnect.
 */
export class Admissions {
  readonly #limits: typeof ADMISSIONS;
  readonly #deadlines = new Map<WebSocket, number>();
  readonly #timers = new Map<WebSocket, NodeJS.Timeout>();
  /** Sockets that have sent no token yet, the oldest first. */
  readonly #silent = new Set<WebSocket>();
  /** Sockets on which every token was refused, the oldest first. */
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

  /** Exempts the socket from the limit while a token that has arrived is being checked. */
  beginCheck(socket: WebSocket): void {
    this.#stopWaiting(socket);
  }

  /** Limits the socket again, after all its tokens were refused and none is being checked. */
  refuse(socket: WebSocket): void {
    this.#wait(socket, this.#refused);
  }

  /** Forgets the socket, which has shown a valid token or is closed. */
  end(socket: WebSocket): void {
    this.#stopWaiting(socket);
    this.#deadlines.delete(socket);
  }

  #wait(socket: WebSocket, group: Set<WebSocket>): void {
    const deadline = this.#deadlines.get(socket);
    if (deadline === undefined) return;
    this.#stopWaiting(socket);
    const waitMs = Math.max(0, deadline - performance.now());
    const timer = setTimeout(() => this.#disconnect(socket), waitMs);
    this.#timers.set(socket, timer);
    group.add(socket);
    if (this.#exceedsLimit) this.#enforceSoon();
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

  get #exceedsLimit(): boolean {
    return this.#timers.size > this.#limits.sockets;
  }

  /** Waits for an immediate after the grace, since all data that has arrived is read before it. */
  #enforceSoon(): void {
    this.#enforcing ??= setTimeout(() => setImmediate(() => this.#enforce()), this.#limits.graceMs);
  }

  #enforce(): void {
    this.#enforcing = undefined;
    for (const socket of [...this.#refused, ...this.#silent]) {
      if (!this.#exceedsLimit) return;
      this.#disconnect(socket);
    }
  }
}
