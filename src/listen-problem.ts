import type { Config } from './config.ts';
import { StartError } from './platform/start-error.ts';

/** Why the server could not listen, in words that an operator can act on. */
export function listenProblem(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  const where = `${host}:${port}`;
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `Cannot listen on ${where}: another process does. Stop it, or set PORT to another port.`,
    );
  }
  if (error.code === 'EACCES') {
    return new StartError(`Cannot listen on ${where}: this user may not. Set PORT above 1023.`);
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartError(`Cannot listen on ${where}: this machine has no such address. Set HOST.`);
  }
  return error;
}
