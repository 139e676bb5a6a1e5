import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AppError } from '../../platform/errors.ts';
import { failureEnvelope } from './envelope.ts';

/** Writes the failure envelope to a connection that has no reply object, and closes it. */
export function refuseConnection(
  socket: Duplex,
  failure: AppError,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(failureEnvelope(failure, requestId));
  const head = [
    `HTTP/1.1 ${failure.http} ${STATUS_CODES[failure.http]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // The connection is destroyed even if the client keeps its side open.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
