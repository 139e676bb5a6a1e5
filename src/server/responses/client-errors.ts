import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseConnection } from '../../api/responses/refuse-connection.ts';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/logging.ts';

/**
 * Responds to Node's event `clientError`, for malformed or late HTTP, with the failure envelope. The response
 * is written to the socket, since there is no reply object yet.
 */
export function respondToClientError(
  { log, onRejected }: { log: Logger; onRejected: (status: number) => void },
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || !mayRespond(socket)) {
    socket.destroy();
    return;
  }
  const failure = failureOf(error.code);
  const requestId = newId();
  onRejected(failure.http);
  log.info({ requestId, status: failure.http, code: error.code }, failure.message);
  refuseConnection(socket, failure, requestId);
}

function failureOf(code: string | undefined): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new AppError('DEADLINE_EXCEEDED', 'The request did not arrive in time.', { http: 408 });
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return invalidArgument('The headers are too large.', { http: 431 });
  }
  return invalidArgument('The request is not valid HTTP.');
}

/**
 * Whether a failure may be written: not if a response has begun, or is being prepared for a complete request.
 * Node keeps that response in `_httpMessage`.
 */
function mayRespond(socket: Socket): boolean {
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  return socket.writable && (!response || (!response.headersSent && !response.req.complete));
}
