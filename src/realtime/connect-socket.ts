import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { LiveHocuspocus } from './live-hocuspocus.ts';
import { TenantSocket, type WhenStored } from './tenant-socket.ts';

/** Hands what comes over a socket to Hocuspocus, as its own server would. */
export function connectSocket(
  { hocuspocus, whenStored }: { hocuspocus: LiveHocuspocus; whenStored: WhenStored },
  socket: WebSocket,
  request: IncomingMessage,
) {
  const tenantSocket = new TenantSocket(socket, whenStored);
  const client = hocuspocus.handleConnection(tenantSocket, toRequest(request), {
    socket: tenantSocket,
  });
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) return socket.close(UNSUPPORTED_DATA);
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
  socket.on('close', (code, reason) => client.handleClose({ code, reason: String(reason) }));
}

const PROTOCOL_ERROR = 1002;
const UNSUPPORTED_DATA = 1003;

/** The part of the request that hooks look at. */
const toRequest = ({ headers: { origin } }: IncomingMessage): Request =>
  new Request('http://localhost/collaboration', { headers: origin ? { origin } : {} });
