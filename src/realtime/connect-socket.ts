import type { IncomingMessage } from 'node:http';
import { MessageType } from '@hocuspocus/server';
import type { WebSocket } from 'ws';
import type { AddressOf } from '../api/credentials/client-address.ts';
import { nextTurn } from '../platform/event-loop.ts';
import { TokenBucket } from '../platform/limits/token-bucket.ts';
import type { LiveHocuspocus } from './hocuspocus-internals.ts';
import { refuseSocket } from './refusal.ts';
import type { Admissions } from './sockets/admissions.ts';
import type { BroadcastCache } from './sockets/broadcast-cache.ts';
import { Outbox } from './sockets/outbox.ts';
import type { SendBudget } from './sockets/send-budget.ts';
import { TenantSocket, type WhenStored } from './sockets/tenant-socket.ts';

/** A socket may carry many documents, each of which sends a few messages when it opens. */
const MESSAGES = { perSecond: 500, burst: 5_000 };

interface Dependencies {
  hocuspocus: LiveHocuspocus;
  addressOf: AddressOf;
  whenStored: WhenStored;
  budget: SendBudget;
  admissions: Admissions;
  broadcasts: BroadcastCache;
}

/** Connects a socket to Hocuspocus, in place of the server of Hocuspocus. */
export function connectSocket(
  { hocuspocus, addressOf, ...deps }: Dependencies,
  socket: WebSocket,
  request: IncomingMessage,
) {
  const outbox = new Outbox({ ...deps, socket, connection: request.socket });
  const tenantSocket = new TenantSocket({ ...deps, socket, outbox });
  const client = hocuspocus.handleConnection(tenantSocket, toRequest(request), {
    socket: tenantSocket,
    address: addressOf(request),
  });
  const rate = new TokenBucket(MESSAGES);
  /** Counts a message, and returns whether it may be handled. Above the rate the socket is closed. */
  const acceptMessage = (): boolean => {
    // Messages may still arrive after the close frame was sent.
    if (socket.readyState !== socket.OPEN) return false;
    const isWithinRate = rate.spend();
    if (!isWithinRate) refuseSocket(socket, 'RESOURCE_EXHAUSTED');
    return isWithinRate;
  };
  // Tokens are checked in turns, since many sockets may send many at one moment.
  const checkToken = async (token: Uint8Array) => {
    await nextTurn();
    if (socket.readyState === socket.OPEN) client.handleMessage(token);
  };
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!acceptMessage()) return;
    if (!isBinary) return socket.close(UNSUPPORTED_DATA);
    if (data.length === 1 && data[0] === MessageType.Ping) return outbox.deliver(PONG);
    if (!tenantSocket.isAdmitted && data.length > MAX_UNADMITTED_BYTES) {
      return refuseSocket(socket, 'RESOURCE_EXHAUSTED');
    }
    try {
      const token = tenantSocket.receive(data);
      if (token) checkToken(token).catch(() => socket.close(PROTOCOL_ERROR));
    } catch {
      socket.close(PROTOCOL_ERROR);
    }
  });
  socket.on('ping', (data: Buffer) => {
    if (acceptMessage()) outbox.pong(data);
  });
  socket.on('pong', () => void acceptMessage());
  socket.on('close', (code, reason) => client.handleClose({ code, reason: String(reason) }));
}

/** The largest message before the client has shown a valid token: more than any token needs. */
const MAX_UNADMITTED_BYTES = 256 * 1024;

/** The answer to a ping in a message of its own, since browsers cannot send the pings of WebSocket. */
const PONG = new Uint8Array([MessageType.Pong]);

const PROTOCOL_ERROR = 1002;
const UNSUPPORTED_DATA = 1003;

/** Returns the used part of the request. Hocuspocus parses the URL again for each message. */
const toRequest = ({ headers: { origin } }: IncomingMessage) =>
  ({ url: '/collaboration', headers: new Headers(origin ? { origin } : {}) }) as Request;
