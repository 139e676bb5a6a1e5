import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from './benchmark.ts';
import { openTo } from './editors.ts';
import { HttpConnection } from './http-connection.ts';

/** Much shorter than `Retry-After` says. */
const PAUSE_AFTER_REFUSAL_MS = 100;
const EDITORS = 50;
const KEYSTROKE_MS = 20;

type Flood = (url: string) => Promise<void>;

const addUser = (n: number): Call => ({
  path: '/v1/users/add',
  data: { organizationId: 'flood', users: [{ userId: `user-${n}` }] },
});

const addSomeUsers = (n: number): Call => ({
  path: '/v1/users/add',
  data: {
    organizationId: 'flood',
    users: Array.from({ length: 100 }, (_, user) => ({ userId: `user-${n}-${user}` })),
  },
});

/** A body of about three megabytes. */
const addManyUsers = (n: number): Call => ({
  path: '/v1/users/add',
  data: {
    organizationId: 'flood',
    users: Array.from({ length: 1_000 }, (_, user) => ({
      userId: `user-${n}-${user}`,
      name: 'Ada Lovelace',
      photoUrl: `https://example.com/${'a'.repeat(1_900)}`,
      textColor: 'b'.repeat(60),
    })),
  },
});

const judge = (n: number): Call =>
  n % 2 === 0
    ? { path: '/v2/memory/search', data: { query: `launch plan ${n} in May or June` } }
    : {
        path: '/v2/memory/judgments/add',
        data: {
          judgments: Array.from({ length: 50 }, (_, at) => ({
            query: `the launch plan ${n} for May, part ${at}, moved to June`,
            decision: at % 2 === 0 ? 'approved' : 'rejected',
            reviewer: { userId: 'ada' },
          })),
        },
      };

/** Calls without a pause over this many connections, whatever the answers are. */
async function callOver(
  url: string,
  connections: number,
  callOf: (n: number) => Call,
  headersOf: (n: number) => Record<string, string> = () => ({}),
): Promise<void> {
  let next = 0;
  const useUp = async () => {
    const connection = await HttpConnection.open(url);
    for (;;) {
      const n = next++;
      const { status } = await connection.post(callOf(n), headersOf(n));
      if (status !== 200) await sleep(PAUSE_AFTER_REFUSAL_MS);
    }
  };
  await Promise.all(Array.from({ length: connections }, useUp));
}

async function typeInto(url: string): Promise<void> {
  const opened = Array.from({ length: EDITORS }, (_, n) => openTo(url, `document-${n}`));
  for (const editor of await Promise.all(opened)) {
    setInterval(() => editor.type('twenty letters here '), KEYSTROKE_MS);
  }
}

/** The load that one tenant puts on a server until the process ends. */
export const FLOODS: Record<string, Flood> = {
  events: (url) => callOver(url, 64, addUser),
  batches: (url) => callOver(url, 12, addManyUsers),
  // Eight simultaneous calls have the same key: one runs, and the others wait for its answer.
  'idempotency waits': (url) => {
    const run = randomUUID();
    const turn = (n: number) => Math.floor(n / 8);
    const key = (n: number) => ({ 'idempotency-key': `${run}-${turn(n)}` });
    return callOver(url, 64, (n) => addSomeUsers(turn(n)), key);
  },
  // The server also posts each event to an endpoint.
  deliveries: (url) => callOver(url, 32, addUser),
  sockets: typeInto,
  memory: (url) => callOver(url, 32, judge),
};
