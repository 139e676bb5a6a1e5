import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { makePlan, userToken } from '../support/editors.ts';
import { type FuzzRequest, requestsTo } from '../support/fuzz/requests.ts';
import { type SocketSession, socketSessions, speak } from '../support/fuzz/sockets.ts';
import { follow, subscriptions } from '../support/fuzz/subscriptions.ts';
import { watchHealth } from '../support/fuzz/watch-health.ts';
import { operations } from '../support/operations.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { createDatabase } from '../support/server.ts';

/** `npm run fuzz` sends many more, which are others each time. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 400);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const AT_ONCE = 8;
const LONGEST_TURN_MS = 250;
const DEADLINE_MS = 30_000 + REQUESTS * 200;

let server: ServerProcess;
let credentials: Record<FuzzRequest['as'], Record<string, string>>;
let token: string;
beforeAll(async () => {
  const nowhere = 'http://127.0.0.1:9';
  const environment = {
    DATABASE_URL: await createDatabase(),
    ...{ OPENAI_BASE_URL: nowhere, ANTHROPIC_BASE_URL: nowhere, GEMINI_BASE_URL: nowhere },
    SENDGRID_BASE_URL: nowhere,
    ...{ CALLS_IN_FLIGHT_PER_KEY: '0', ITEMS_PER_SECOND: '0', BYTES_PER_SECOND: '0' },
    DATABASE_MS_PER_SECOND: '0',
  };
  server = await serverProcess(environment, { watchTurns: true });
  await server.start();
  const levels = await server.headersByLevel();
  const place = { url: server.url, keyHeaders: levels.apiKey };
  await makePlan(place);
  token = await userToken(place, 'fuzzer', { accessRole: 'editor' });
  credentials = { ...levels, user: { authorization: `Bearer ${token}` }, nobody: {} };
  await server.longestTurn();
});

let succeeded = 0;

const textOf = (one: unknown) => JSON.stringify(one).slice(0, 4_000);

async function send(request: FuzzRequest): Promise<void> {
  const { method, path, as, headers, body } = request;
  const takesBody = method !== 'GET' && method !== 'HEAD';
  const response = await fetch(server.url + path, {
    method,
    headers: { ...headers, ...credentials[as] },
    ...(takesBody && body !== undefined && { body }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  if (response.ok) succeeded += 1;
  if (isFault({ status: response.status, text })) {
    throw new Error(`${response.status} ${text.slice(0, 500)} to ${textOf(request)}`);
  }
}

/** An INTERNAL of the specification has details; ours names the request, under which it is logged. */
const isFault = ({ status, text }: { status: number; text: string }): boolean =>
  /"status":"INTERNAL"[^}]*"requestId"/.test(text) || (status >= 500 && text.includes('requestId'));

async function isWell(last: unknown): Promise<void> {
  const turn = await server.longestTurn().catch(() => Number.POSITIVE_INFINITY);
  if (server.isRunning && turn < LONGEST_TURN_MS) return;
  const what = server.isRunning ? `A turn took ${turn} ms` : 'The server has ended';
  throw new Error(`${what} after one of ${JSON.stringify(last)}. ${server.complaints.join('')}`);
}

describe(`whatever is sent (FUZZ_SEED=${SEED})`, () => {
  it(
    `over HTTP, ${REQUESTS} requests are answered, and hold up nobody`,
    async () => {
      const health = watchHealth(server.url);
      const many = fc.array(requestsTo(operations), { minLength: AT_ONCE, maxLength: AT_ONCE });
      const property = fc.asyncProperty(many, async (requests) => {
        await Promise.all(requests.map(send));
        await isWell(requests);
      });
      const numRuns = Math.ceil(REQUESTS / AT_ONCE);
      await fc.assert(property, { seed: SEED, numRuns, endOnFailure: true });
      const { asked, slowestMs } = await health.stop();
      expect(asked).toBeGreaterThan(0);
      // What nobody takes tests little.
      expect(succeeded).toBeGreaterThan(REQUESTS / 10);
      // Printed, not tested: it counts what else runs on the machine.
      console.info(`/healthz was answered ${asked} times, in at most ${slowestMs} ms.`);
      expect(server.complaints).toEqual([]);
    },
    DEADLINE_MS,
  );

  it(
    'as subscriptions, many of them opened and dropped, they are answered, and hold up nobody',
    async () => {
      let started = 0;
      const many = fc.array(subscriptions, { minLength: 20, maxLength: 20 });
      const property = fc.asyncProperty(many, async (all) => {
        const answers = await Promise.all(
          all.map((one) => follow(server.url, one, credentials[one.as])),
        );
        for (const [at, answer] of answers.entries()) {
          if (answer?.status === 200) started += 1;
          if (answer && isFault(answer)) throw new Error(`${answer.text} to ${textOf(all[at])}`);
        }
        await isWell(all);
      });
      const numRuns = Math.ceil(REQUESTS / 100);
      await fc.assert(property, { seed: SEED, numRuns, endOnFailure: true });
      expect(started).toBeGreaterThan(0);
      expect(server.complaints).toEqual([]);
    },
    DEADLINE_MS,
  );

  it(
    'over a WebSocket, it ends that connection at most',
    async () => {
      const many = fc.array(socketSessions, { minLength: 4, maxLength: 4 });
      const property = fc.asyncProperty(many, async (sessions: SocketSession[]) => {
        await Promise.all(sessions.map((session) => speak(server.url, token, session)));
        await isWell(sessions);
      });
      const numRuns = Math.ceil(REQUESTS / 100);
      await fc.assert(property, { seed: SEED, numRuns, endOnFailure: true });
      expect(server.complaints).toEqual([]);
    },
    DEADLINE_MS,
  );
});
