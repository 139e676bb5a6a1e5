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
  /** Whether the client has sent nothing since the last ping. */
  isSilent: boolean;
  /** Changes whenever the network has taken some of the sent data. */
  progress: string;
  /** For how many beats data has been waiting without progress. */
  stalledBeats: number;
  /** How much of an unfinished message had arrived at the last beat. */
  arrivedBytes: number;
}

/**
 * Pings every client, and disconnects clients that have sent nothing since the last ping, or do not
 * read pending data. A slow client that does read, or is sending a message, stays connected.
 */
export class Heartbeat {
  readonly #pulses = new Map<WebSocket, Pulse>();

  watch(socket: WebSocket, connection: Socket): void {
    const initial = { isSilent: false, progress: '', stalledBeats: 0, arrivedBytes: 0 };
    const pulse: Pulse = { connection, ping: newPing(), ...initial };
    this.#pulses.set(socket, pulse);
    socket.on('message', () => {
      pulse.isSilent = false;
    });
    // Only the expected pong counts: a client that reads nothing could still send other pongs.
    socket.on('pong', (data: Buffer) => {
      if (data.equals(pulse.ping)) pulse.isSilent = false;
    });
    socket.on('close', () => this.#pulses.delete(socket));
  }

  /** Call this at an interval. */
  beat(): void {
    for (const [socket, pulse] of this.#pulses) {
      if (socket.readyState !== socket.OPEN) continue;
      const { hasUnsentData, progress } = readFlow(pulse.connection);
      const hasProgressed = progress !== pulse.progress;
      pulse.progress = progress;
      pulse.stalledBeats = hasUnsentData && !hasProgressed ? pulse.stalledBeats + 1 : 0;
      const arrivedBytes = arrivedBytesOf(socket);
      const isSending = arrivedBytes > 0 && arrivedBytes !== pulse.arrivedBytes;
      pulse.arrivedBytes = arrivedBytes;
      // The pong may be late: the client reads other data before the ping, or sends the rest of a message
      // before the pong, or the server does not read from the paused socket.
      const isExcused = socket.isPaused || isSending || (hasUnsentData && hasProgressed);
      if (pulse.stalledBeats >= MAX_STALLED_BEATS) refuseSocket(socket, 'RESOURCE_EXHAUSTED');
      else if (pulse.isSilent && !isExcused) socket.terminate();
      else this.#ping(socket, pulse);
    }
  }

  #ping(socket: WebSocket, pulse: Pulse): void {
    pulse.isSilent = true;
    // While data waits to be sent, it may include the last ping, whose pong must still count.
    if (pulse.connection.writableLength === 0) pulse.ping = newPing();
    socket.ping(pulse.ping);
  }
}

const newPing = (): Buffer => randomBytes(PING_BYTES);

/** How much of an unfinished message has arrived. Only a private property of `ws` tells this. */
const arrivedBytesOf = (socket: WebSocket): number =>
  (socket as unknown as { _receiver: { _bufferedBytes: number } })._receiver._bufferedBytes;

/**
 * An internal property of Node, which Node itself uses for idle timeouts. No public API reports the
 * progress of a write.
 */
interface WithHandle {
  _handle?: { writeQueueSize?: number } | null;
}

function readFlow(connection: Socket & WithHandle): { hasUnsentData: boolean; progress: string } {
  const { bytesWritten, writableLength } = connection;
  const queuedBytes = connection._handle?.writeQueueSize ?? 0;
  const progress = `${bytesWritten - writableLength} ${queuedBytes}`;
  return { hasUnsentData: writableLength > 0, progress };
}
