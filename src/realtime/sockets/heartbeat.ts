import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket, WebSocketServer } from 'ws';
import { refuseSocket } from './refusal.ts';

/** A client that is gone without a goodbye is noticed within twice this time. */
const INTERVAL_MS = 15_000;
/** A client that reads nothing of what waits for it is cut off after as many of these. */
const MOST_STALLED = 2;
const PING_BYTES = 8;

interface Pulse {
  connection: Socket;
  /** What the next pong has to say. */
  ping: Buffer;
  isSilent: boolean;
  /** How far the network has taken what was sent, and for how long it has not moved. */
  progress: string;
  stalled: number;
}

/**
 * Asks every client for a sign of life, and cuts off who gave none since it was last asked, and who
 * does not read what waits for it. A slow client, which reads, may take its time.
 */
export class Heartbeat {
  readonly #pulses = new Map<WebSocket, Pulse>();
  readonly #timer: NodeJS.Timeout;

  constructor(server: WebSocketServer, intervalMs = INTERVAL_MS) {
    this.#timer = setInterval(() => this.#beat(), intervalMs);
    server.on('connection', (socket: WebSocket, request: IncomingMessage) => {
      this.#watch(socket, request.socket);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #watch(socket: WebSocket, connection: Socket): void {
    const pulse = { connection, ping: newPing(), isSilent: false, progress: '', stalled: 0 };
    this.#pulses.set(socket, pulse);
    socket.on('message', () => {
      pulse.isSilent = false;
    });
    // A pong that nobody asked for comes from clients that read nothing, too.
    socket.on('pong', (data: Buffer) => {
      if (data.equals(pulse.ping)) pulse.isSilent = false;
    });
    socket.on('close', () => this.#pulses.delete(socket));
  }

  #beat(): void {
    for (const [socket, pulse] of this.#pulses) {
      if (socket.readyState !== socket.OPEN) continue;
      const { isWaiting, progress } = flowOf(pulse.connection);
      const moves = progress !== pulse.progress;
      pulse.progress = progress;
      pulse.stalled = isWaiting && !moves ? pulse.stalled + 1 : 0;
      // A client that is sent a lot comes late to the ping behind it; one that we do not read cannot
      // answer.
      const isExcused = socket.isPaused || (isWaiting && moves);
      if (pulse.stalled >= MOST_STALLED) refuseSocket(socket, 'RESOURCE_EXHAUSTED');
      else if (pulse.isSilent && !isExcused) socket.terminate();
      else this.#ask(socket, pulse);
    }
  }

  #ask(socket: WebSocket, pulse: Pulse): void {
    pulse.isSilent = true;
    // What is on its way is still to be answered, and says as much.
    if (pulse.connection.writableLength === 0) pulse.ping = newPing();
    socket.ping(pulse.ping);
  }
}

const newPing = (): Buffer => randomBytes(PING_BYTES);

/** As Node itself judges whether a socket is idle; nothing public says how far a long write is. */
interface WithHandle {
  _handle?: { writeQueueSize?: number } | null;
}

function flowOf(connection: Socket & WithHandle): { isWaiting: boolean; progress: string } {
  const { bytesWritten, writableLength } = connection;
  const left = connection._handle?.writeQueueSize ?? 0;
  return { isWaiting: writableLength > 0, progress: `${bytesWritten - writableLength} ${left}` };
}
