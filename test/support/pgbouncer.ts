import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { whenFileEnds } from './when-file-ends.ts';

const PROGRAM = '/usr/sbin/pgbouncer';

/** Debian's package has it. */
export const hasPgBouncer = existsSync(PROGRAM);

/**
 * A PgBouncer that hands each transaction to any of few connections, ended at the end of the file.
 *
 * @returns the URL of the same database through it
 */
export async function startPgBouncer(databaseUrl: string): Promise<string> {
  const target = new URL(databaseUrl);
  const port = await freePort();
  const folder = await makeTemporaryFolder('test-pgbouncer-');
  const file = path.join(folder, 'pgbouncer.ini');
  const { hostname, username, password } = target;
  const server = `host=${hostname} port=${target.port || 5432} user=${decodeURIComponent(username)}`;
  await writeFile(
    file,
    `[databases]
* = ${server}${password && ` password=${decodeURIComponent(password)}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
  );
  await chmod(folder, 0o755);
  const isRoot = process.getuid?.() === 0;
  const bouncer = spawn(PROGRAM, [...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' });
  whenFileEnds(async () => {
    await end(bouncer);
    await rm(folder, { recursive: true, force: true });
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  await eventually(() => listens(port));
  return url.href;
}

/** Without a query, PgBouncer opens no connection, which would lack what is set later. */
async function listens(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect').finally(() => socket.destroy());
}

async function end(bouncer: ChildProcess): Promise<void> {
  if (bouncer.exitCode !== null) return;
  bouncer.kill('SIGKILL');
  await once(bouncer, 'exit');
}
