import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { refuseSocket } from '../refusal.ts';

/** After this many beats without reading anything, a client is disconnected. */
const MAX_STALLED = 2;
const PING_BYTES = 8;

interface Pulse {
  connection: Socket;
  /** The payload that the next pong must repeat. */
  ping: Buffer;
  isSilent: boolean;
  /** How much of the sent data the network has taken. */
  progress: string;
  /** For how many beats the progress has not changed. */
  stalled: number;
}

/**
 * Pings every client, and disconnects clients that sent nothing since the last ping, or do not read
 * pending data. A slow client that does read stays connected.
 */
export class Heartbeat {
  readonly #pulses = new Map<WebSocket, Pulse>();

  watch(socket: WebSocket, connection: Socket): void {
    const pulse = { connection, ping: newPing(), isSilent: false, progress: '', stalled: 0 };
    this.#pulses.set(socket, pulse);
    socket.on('message', () => {
      pulse.isSilent = false;
    });
    // Only the expected pong counts, since clients that read nothing may send others.
    socket.on('pong', (data: Buffer) => {
      if (data.equals(pulse.ping)) pulse.isSilent = false;
    });
    socket.on('close', () => this.#pulses.delete(socket));
  }

  /** Call this at an interval. */
  beat(): void {
    for (const [socket, pulse] of this.#pulses) {
      if (socket.readyState !== socket.OPEN) continue;
      const { isWaiting, progress } = flowOf(pulse.connection);
      const moves = progress !== pulse.progress;
      pulse.progress = progress;
      pulse.stalled = isWaiting && !moves ? pulse.stalled + 1 : 0;
      // A client that still receives much data reads the ping late, and a paused one is not read.
      const isExcused = socket.isPaused || (isWaiting && moves);
      if (pulse.stalled >= MAX_STALLED) refuseSocket(socket, 'RESOURCE_EXHAUSTED');
      else if (pulse.isSilent && !isExcused) socket.terminate();
      else this.#ask(socket, pulse);
    }
  }

  #ask(socket: WebSocket, pulse: Pulse): void {
    pulse.isSilent = true;
    // A ping that still waits to be sent keeps its payload, and its pong is as good.
    if (pulse.connection.writableLength === 0) pulse.ping = newPing();
    socket.ping(pulse.ping);
  }
}

const newPing = (): Buffer => randomBytes(PING_BYTES);

/** An internal of Node, which uses it for idle timeouts; no public API has the progress of a write. */
interface WithHandle {
  _handle?: { writeQueueSize?: number } | null;
}

function flowOf(connection: Socket & WithHandle): { isWaiting: boolean; progress: string } {
  const { bytesWritten, writableLength } = connection;
  const left = connection._handle?.writeQueueSize ?? 0;
  return { isWaiting: writableLength > 0, progress: `${bytesWritten - writableLength} ${left}` };
}
