import { StartError } from './platform/start-error.ts';

/** Where to listen, and the setting that the port comes from. */
export interface ListenAddress {
  host: string;
  port: number;
  setting: string;
}

/** Why the server could not listen, in words that an operator can act on. */
export function listenProblem(
  error: NodeJS.ErrnoException,
  { host, port, setting }: ListenAddress,
): Error {
  const where = `${host}:${port}`;
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `Cannot listen on ${where}: another process does. Stop it, or set ${setting} to another port.`,
    );
  }
  if (error.code === 'EACCES') {
    return new StartError(
      `Cannot listen on ${where}: this user may not. Set ${setting} above 1023.`,
    );
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartError(`Cannot listen on ${where}: this machine has no such address. Set HOST.`);
  }
  return error;
}
