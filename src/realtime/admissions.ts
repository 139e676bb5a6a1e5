import type { WebSocket } from 'ws';
import { refuseSocket } from './refusal.ts';

/** Sockets that may be without a valid token at a time, and for how long each. */
export const ADMISSIONS = { sockets: 1_000, ms: 10_000 };

/**
 * Sockets that have shown no valid token yet. Anybody can open them, so they are few, and when one
 * more comes the oldest has to go: whoever has a token shows it at once.
 */
export class Admissions {
  readonly #most: typeof ADMISSIONS;
  readonly #waiting = new Map<WebSocket, NodeJS.Timeout>();

  constructor(most = ADMISSIONS) {
    this.#most = most;
  }

  begin(socket: WebSocket): void {
    const late = setTimeout(() => refuseSocket(socket, 'PERMISSION_DENIED'), this.#most.ms);
    this.#waiting.set(socket, late);
    socket.once('close', () => this.end(socket));
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size <= this.#most.sockets || !oldest) return;
    this.end(oldest);
    refuseSocket(oldest, 'RESOURCE_EXHAUSTED');
  }

  /** It has shown a valid token, or is gone. */
  end(socket: WebSocket): void {
    clearTimeout(this.#waiting.get(socket));
    this.#waiting.delete(socket);
  }
}
