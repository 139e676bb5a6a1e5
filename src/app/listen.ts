import type { FastifyInstance } from 'fastify';
import { StartError } from '../platform/start-error.ts';

/** The address to listen on, and the setting of its port. */
interface ListenAddress {
  host: string;
  port: number;
  setting: string;
}

/** @throws StartError for a problem that the operator can correct, such as a used port */
export async function listen(server: FastifyInstance, where: ListenAddress): Promise<void> {
  try {
    await server.listen({ host: where.host, port: where.port });
  } catch (error) {
    throw listenProblem(error as NodeJS.ErrnoException, where);
  }
}

/** Explains why the server could not listen, so that the operator can correct it. */
function listenProblem(
  error: NodeJS.ErrnoException,
  { host, port, setting }: ListenAddress,
): Error {
  const where = `${host}:${port}`;
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `Cannot listen on ${where}: another process listens there. Stop it, or set ${setting} to another port.`,
    );
  }
  if (error.code === 'EACCES') {
    return new StartError(
      `Cannot listen on ${where}: this user has no permission. Set ${setting} above 1023.`,
    );
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartError(`Cannot listen on ${where}: this machine has no such address. Set HOST.`);
  }
  return error;
}

export const baseUrl = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
