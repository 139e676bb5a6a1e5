import type { AnyRouter } from '@trpc/server';
import type { Services } from '../../api/context.ts';
import type { AddressOf } from '../../api/credentials/client-address.ts';
import { Admissions } from '../sockets/admissions.ts';
import type { SocketPath } from '../sockets/sockets.ts';
import { StreamSocket } from './stream-socket.ts';

/** The largest message of a client: credentials, or the inputs of a page's subscriptions. */
const MAX_PAYLOAD = 256 * 1024;

interface Dependencies {
  services: Services;
  router: AnyRouter;
  addressOf: AddressOf;
}

/** Serves subscriptions to tRPC's WebSocket link, all those of a page over one connection. */
export function streamSockets({ addressOf, ...deps }: Dependencies): SocketPath {
  const admissions = new Admissions();
  return {
    maxPayload: MAX_PAYLOAD,
    onOpen(socket, request) {
      new StreamSocket({ ...deps, admissions, socket, request, address: addressOf(request) });
    },
  };
}
