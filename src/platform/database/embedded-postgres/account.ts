import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { StartError } from '../../start-error.ts';

/** The user that PostgreSQL runs as. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root. If this process runs as root, returns the user to start
 * PostgreSQL as: the owner of existing data, or else an unprivileged user. Otherwise, returns undefined.
 */
export function accountFor(data: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readAccounts();
  const owner = existsSync(data) ? statSync(data) : undefined;
  if (owner && owner.uid !== 0) {
    const name = accounts.find(({ uid }) => uid === owner.uid)?.name ?? `uid ${owner.uid}`;
    return { name, uid: owner.uid, gid: owner.gid };
  }
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const account = accounts.find((candidate) => candidate.name === name);
    if (account) return account;
  }
  throw new StartError(
    'PostgreSQL refuses to run as root, and this system has no other user for it (postgres, _postgres or nobody). ' +
      'Run this process as an ordinary user, or set DATABASE_URL.',
  );
}

function readAccounts(): Account[] {
  if (!existsSync('/etc/passwd')) return [];
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/** The options of a child process that runs as the account, independent of this process's environment. */
export function processOptionsFor(account: Account | undefined) {
  return {
    ...(account && { uid: account.uid, gid: account.gid }),
    // The account may not be allowed to enter our working directory.
    cwd: '/',
    // PGDATA, PGPORT, LD_LIBRARY_PATH and the like must not leak in. Messages must be in English,
    // because a few of them are parsed.
    env: { LC_ALL: 'C', TZ: 'UTC' },
  };
}

/** Whether the account can enter the folder. Tries it: file modes do not show access lists and mounts. */
export function canEnter(account: Account | undefined, folder: string): boolean {
  if (!account) return true;
  const { error, status } = spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], {
    ...processOptionsFor(account),
    stdio: 'ignore',
  });
  if (!error) return status === 0;
  throw new StartError(
    `PostgreSQL refuses to run as root, and it cannot be run as user ${account.name} ` +
      `(${error.message}). Run this process as an ordinary user, or set DATABASE_URL.`,
  );
}
