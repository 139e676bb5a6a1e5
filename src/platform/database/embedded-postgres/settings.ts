import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const SUPERUSER = 'collaboration';
export const DATABASE = 'collaboration';

export function urlFor(password: string, port: number): string {
  // The embedded server has no TLS, but the variable PGSSLMODE may demand it. `sslmode` overrides this.
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // No Unix sockets: their paths are limited to about 107 bytes, which a long DATA_DIR exceeds.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  fsync: 'on',
  timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
  // Each line begins with its severity, in English, because the lines are parsed.
  log_line_prefix: '',
  lc_messages: 'C',
  // Statements hold the users' data, which does not belong in a log.
  log_min_error_statement: 'panic',
};

/** Settings on the command line override the files in the data directory. */
export function serverArguments(data: string, port: number): string[] {
  const settings = Object.entries({ ...SETTINGS, port });
  return ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The line of postmaster.pid that holds the port, counted from 0. */
const PORT_LINE = 3;

/** Returns the URL of the embedded PostgreSQL that another process runs on this DATA_DIR, if any. */
export function runningEmbeddedUrl(dataDir: string): string | undefined {
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  const passwordFile = join(dataDir, 'postgres-password');
  if (!existsSync(pidFile) || !existsSync(passwordFile)) return undefined;
  const port = Number(readFileSync(pidFile, 'utf8').split('\n')[PORT_LINE]);
  return port > 0 ? urlFor(readFileSync(passwordFile, 'utf8').trim(), port) : undefined;
}
