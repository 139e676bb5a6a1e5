import type { IncomingMessage } from 'node:http';
import { MessageType } from '@hocuspocus/server';
import type { WebSocket } from 'ws';
import type { AddressOf } from '../api/credentials/client-address.ts';
import { TokenBucket } from '../platform/limits/token-bucket.ts';
import { refuseSocket } from './refusal.ts';
import type { Admissions } from './sockets/admissions.ts';
import type { BroadcastFrames } from './sockets/binary-frame.ts';
import type { DocumentChannel } from './sockets/document-channel.ts';
import { EditorSocket } from './sockets/editor-socket.ts';
import { MAX_TOKEN_BYTES } from './sockets/message-limit.ts';
import { Outbox } from './sockets/outbox.ts';
import type { SendBudget } from './sockets/send-budget.ts';

/** A client may open many documents over one socket, with a few messages for each. */
const MESSAGE_RATE = { perSecond: 500, burst: 5_000 };

interface Dependencies {
  addressOf: AddressOf;
  budget: SendBudget;
  admissions: Admissions;
  frames: BroadcastFrames;
  openDocument: (channel: DocumentChannel, token: string) => Promise<void>;
}

/** Serves the socket of an editor. */
export function connectSocket(
  { addressOf, ...deps }: Dependencies,
  socket: WebSocket,
  request: IncomingMessage,
) {
  const outbox = new Outbox({ ...deps, socket, connection: request.socket });
  const client = { origin: request.headers.origin, ipAddress: addressOf(request) };
  const editorSocket = new EditorSocket({ ...deps, socket, client, outbox });
  const rate = new TokenBucket(MESSAGE_RATE);
  /** Counts a message, and returns whether it may be handled. Above the rate the socket is closed. */
  const acceptMessage = (): boolean => {
    // Messages may still arrive after the close frame was sent.
    if (socket.readyState !== socket.OPEN) return false;
    const isWithinRate = rate.spend();
    if (!isWithinRate) refuseSocket(socket, 'RESOURCE_EXHAUSTED');
    return isWithinRate;
  };
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!acceptMessage()) return;
    if (!isBinary) return socket.close(UNSUPPORTED_DATA);
    if (data.length === 1 && data[0] === MessageType.Ping) return outbox.deliver(PONG);
    if (!editorSocket.isAdmitted && data.length > MAX_TOKEN_BYTES) {
      return refuseSocket(socket, 'RESOURCE_EXHAUSTED');
    }
    editorSocket.receive(data);
  });
  socket.on('ping', (data: Buffer) => {
    if (acceptMessage()) outbox.pong(data);
  });
  socket.on('pong', () => void acceptMessage());
  socket.on('close', (code, reason) => editorSocket.close({ code, reason: String(reason) }));
}

/** The reply to a ping that is sent as a message: browsers cannot send the pings of WebSocket itself. */
const PONG = new Uint8Array([MessageType.Pong]);

const UNSUPPORTED_DATA = 1003;
