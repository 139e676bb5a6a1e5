import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { refuseSocket } from '../refusal.ts';

/** A client is disconnected after it has read nothing for this many beats. */
const MAX_STALLED_BEATS = 2;
const PING_BYTES = 8;

interface Pulse {
  connection: Socket;
  /** The payload that the next pong must repeat. */
  ping: Buffer;
  isSilent: boolean;
  /** Changes whenever the network has taken some of the sent data. */
  progress: string;
  /** For how many beats data has been waiting without progress. */
  stalledBeats: number;
  /** How much of an unfinished message had arrived at the last beat. */
  arrivedBytes: number;
}

/**
 * Pings every client, and disconnects clients that sent nothing since the last ping, or do not read
 * pending data. A slow client that does read, or is sending a message, stays connected.
 */
export class Heartbeat {
  readonly #pulses = new Map<WebSocket, Pulse>();

  watch(socket: WebSocket, connection: Socket): void {
    const flow = { progress: '', stalledBeats: 0, arrivedBytes: 0 };
    const pulse = { connection, ping: newPing(), isSilent: false, ...flow };
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
      const { hasUnsent, progress } = readFlow(pulse.connection);
      const hasProgressed = progress !== pulse.progress;
      pulse.progress = progress;
      pulse.stalledBeats = hasUnsent && !hasProgressed ? pulse.stalledBeats + 1 : 0;
      const arrivedBytes = arrivedBytesOf(socket);
      const isSending = arrivedBytes > 0 && arrivedBytes !== pulse.arrivedBytes;
      pulse.arrivedBytes = arrivedBytes;
      // A client that still receives much data reads the ping late, its pong waits for the end of a message that it
      // sends, and the pong of a paused socket is not read.
      const isExcused = socket.isPaused || isSending || (hasUnsent && hasProgressed);
      if (pulse.stalledBeats >= MAX_STALLED_BEATS) refuseSocket(socket, 'RESOURCE_EXHAUSTED');
      else if (pulse.isSilent && !isExcused) socket.terminate();
      else this.#ping(socket, pulse);
    }
  }

  #ping(socket: WebSocket, pulse: Pulse): void {
    pulse.isSilent = true;
    // While data waits to be sent, the last ping may be in it, so its pong must still count.
    if (pulse.connection.writableLength === 0) pulse.ping = newPing();
    socket.ping(pulse.ping);
  }
}

const newPing = (): Buffer => randomBytes(PING_BYTES);

/** How much of an unfinished message has arrived, by a private property of `ws`, which reports only whole messages. */
const arrivedBytesOf = (socket: WebSocket): number =>
  (socket as unknown as { _receiver: { _bufferedBytes: number } })._receiver._bufferedBytes;

/**
 * An internal property of Node, which Node itself uses for idle timeouts. No public API reports the
 * progress of a write.
 */
interface WithHandle {
  _handle?: { writeQueueSize?: number } | null;
}

function readFlow(connection: Socket & WithHandle): { hasUnsent: boolean; progress: string } {
  const { bytesWritten, writableLength } = connection;
  const queuedBytes = connection._handle?.writeQueueSize ?? 0;
  const progress = `${bytesWritten - writableLength} ${queuedBytes}`;
  return { hasUnsent: writableLength > 0, progress };
}
