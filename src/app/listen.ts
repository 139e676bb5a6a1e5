import type { FastifyInstance } from 'fastify';
import { StartError } from '../platform/start-error.ts';

interface ListenAddress {
  host: string;
  port: number;
  /** The name of the setting for the port, which messages show. */
  portSetting: string;
}

/** @throws StartError for a problem that the operator can correct, such as a port in use */
export async function listen(server: FastifyInstance, address: ListenAddress): Promise<void> {
  try {
    await server.listen({ host: address.host, port: address.port });
  } catch (error) {
    throw listenProblem(error as NodeJS.ErrnoException, address);
  }
}

/** Explains why the server could not listen, so that the operator can correct it. */
function listenProblem(
  error: NodeJS.ErrnoException,
  { host, port, portSetting }: ListenAddress,
): Error {
  const address = `${host}:${port}`;
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `Cannot listen on ${address}: another process is listening there. Stop it, or set ${portSetting} to another port.`,
    );
  }
  if (error.code === 'EACCES') {
    return new StartError(
      `Cannot listen on ${address}: this user may not use the port. Set ${portSetting} to a number above 1023.`,
    );
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartError(
      `Cannot listen on ${address}: this machine has no such address. Set HOST to one of its addresses.`,
    );
  }
  return error;
}

export const baseUrl = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
