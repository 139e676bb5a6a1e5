import { type ChildProcess, spawn } from 'node:child_process';
import { type Account, processOptionsFor } from './account.ts';

/**
 * A shell that reads from a pipe of this process. The pipe is closed when the process ends, even
 * when it is killed; the shell then stops the server, unless the server is gone or another process
 * uses the data. The shell reads the process id again each time, since ids are reused.
 */
const SCRIPT = `
read -r _
runs() { [ "$(head -n 1 "$2/postmaster.pid" 2>/dev/null)" = "$1" ] && kill -0 "$1" 2>/dev/null; }
for signal in INT QUIT KILL; do
  runs "$@" || exit 0
  kill -"$signal" "$1"
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do runs "$@" || exit 0; sleep 1; done
done`;

/** Ends the server `pid` on `data` when this process ends in any way. */
export function watchOverServer(
  pid: number | undefined,
  data: string,
  account: Account | undefined,
): ChildProcess | undefined {
  if (pid === undefined) return undefined;
  const watchdog = spawn('/bin/sh', ['-c', SCRIPT, 'watchdog', String(pid), data], {
    ...processOptionsFor(account),
    // A session of its own: neither Ctrl-C nor a closed terminal ends it before its work is done.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell, the next start stops a remaining server.
  watchdog.on('error', () => {});
  watchdog.stdin?.on('error', () => {});
  watchdog.unref();
  return watchdog;
}
