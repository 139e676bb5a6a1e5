import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { AddressOf } from '../api/client-address.ts';
import type { LiveHocuspocus } from './live-hocuspocus.ts';
import { MESSAGES, MessageRate } from './message-rate.ts';
import { Outbox } from './outbox.ts';
import { refuseSocket } from './refusal.ts';
import type { SendBudget } from './send-budget.ts';
import { TenantSocket, type WhenStored } from './tenant-socket.ts';

interface Live {
  hocuspocus: LiveHocuspocus;
  addressOf: AddressOf;
  whenStored: WhenStored;
  budget: SendBudget;
  /** How long a socket has to show a token that is good for a document. */
  admissionMs?: number;
}

/** Hands what comes over a socket to Hocuspocus, as its own server would. */
export function connectSocket(
  { hocuspocus, addressOf, whenStored, budget, admissionMs = ADMISSION_MS }: Live,
  socket: WebSocket,
  request: IncomingMessage,
) {
  const outbox = new Outbox({ socket, connection: request.socket, budget });
  const tenantSocket = new TenantSocket(socket, outbox, whenStored);
  const rate = new MessageRate(MESSAGES);
  const admission = setTimeout(() => {
    if (!tenantSocket.isAdmitted) refuseSocket(socket, 'PERMISSION_DENIED');
  }, admissionMs);
  const client = hocuspocus.handleConnection(tenantSocket, toRequest(request), {
    socket: tenantSocket,
    address: addressOf(request),
  });
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    // What was on its way when we said goodbye.
    if (socket.readyState !== socket.OPEN) return;
    if (!isBinary) return socket.close(UNSUPPORTED_DATA);
    if (!rate.take()) return refuseSocket(socket, 'RESOURCE_EXHAUSTED');
    if (!tenantSocket.isAdmitted && data.length > MAX_UNADMITTED_BYTES) {
      return refuseSocket(socket, 'RESOURCE_EXHAUSTED');
    }
    try {
      const message = tenantSocket.receive(data);
      if (message) client.handleMessage(message);
    } catch {
      socket.close(PROTOCOL_ERROR);
    }
  });
  // Hocuspocus gives up on who is silent; a client that only reads has nothing to say.
  socket.on('pong', () => {
    client.lastMessageReceivedAt = Date.now();
  });
  socket.on('close', (code, reason) => {
    clearTimeout(admission);
    client.handleClose({ code, reason: String(reason) });
  });
}

/** A socket that has not shown a valid token by then is of no use to anybody. */
const ADMISSION_MS = 15_000;
/** More than any token needs. */
const MAX_UNADMITTED_BYTES = 256 * 1024;

const PROTOCOL_ERROR = 1002;
const UNSUPPORTED_DATA = 1003;

/** The part of the request that is looked at. Hocuspocus reads a whole URL anew for each message. */
const toRequest = ({ headers: { origin } }: IncomingMessage) =>
  ({ url: '/collaboration', headers: new Headers(origin ? { origin } : {}) }) as Request;
