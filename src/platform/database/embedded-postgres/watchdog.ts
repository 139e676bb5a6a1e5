import { type ChildProcess, spawn } from 'node:child_process';
import { type Account, processOptionsFor } from './account.ts';

/**
 * A shell that reads from a pipe which only we hold. The pipe ends with our process, also when that
 * is killed; then the shell ends the server, unless the server is gone or another one has taken the
 * data over. It looks the process id up again each time, since ids are given to others.
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
  // Without a shell, the next start still ends what was left over.
  watchdog.on('error', () => {});
  watchdog.stdin?.on('error', () => {});
  watchdog.unref();
  return watchdog;
}
