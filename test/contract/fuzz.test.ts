import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePlan, userToken } from '../support/editors.ts';
import { type FuzzRequest, requestsTo } from '../support/fuzz/requests.ts';
import { socketSessions, speak } from '../support/fuzz/sockets.ts';
import { follow, subscriptions } from '../support/fuzz/subscriptions.ts';
import { operations } from '../support/operations.ts';
import { LONGEST_BLOCK_MS, serverProcess } from '../support/processes.ts';
import { createDatabase } from '../support/server.ts';

/** `npm run fuzz` sends many more requests, with another seed each time. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 240);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const AT_ONCE = 8;
const DEADLINE_MS = 30_000 + REQUESTS * 200;
const nowhere = 'http://127.0.0.1:9';
const environment = {
  DATABASE_URL: await createDatabase(),
  ...{ OPENAI_BASE_URL: nowhere, ANTHROPIC_BASE_URL: nowhere, GEMINI_BASE_URL: nowhere },
  SENDGRID_BASE_URL: nowhere,
  CALLS_IN_FLIGHT_PER_KEY: '0',
};
const server = await serverProcess(environment, { preload: 'watch-event-loop' });
await server.start();
const levels = await server.headersByLevel();
const api = { url: server.url, keyHeaders: levels.apiKey };
await makePlan(api);
const token = await userToken(api, 'fuzzer', { accessRole: 'editor' });
const credentials = { ...levels, user: { authorization: `Bearer ${token}` }, nobody: {} };
await server.longestBlockMs();

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

/** A fault names its logged request, unlike the failures with INTERNAL that the specification has. */
const isFault = ({ status, text }: { status: number; text: string }): boolean =>
  /"status":"INTERNAL"[^}]*"requestId"/.test(text) || (status >= 500 && text.includes('requestId'));

/** Requires that the server runs, and that no input has blocked it. */
async function requireHealthy(last: unknown): Promise<void> {
  const blockMs = await server.longestBlockMs().catch(() => Number.POSITIVE_INFINITY);
  if (server.isRunning && blockMs < LONGEST_BLOCK_MS) return;
  const what = server.isRunning
    ? `The event loop was blocked for ${blockMs} ms`
    : 'The server has ended';
  throw new Error(`${what} after one of ${JSON.stringify(last)}. ${server.complaints.join('')}`);
}

/** Checks this many lists of random inputs, after each of which the server has to be healthy. */
async function check<Input>(
  one: fc.Arbitrary<Input>,
  length: number,
  numRuns: number,
  send: (inputs: Input[]) => Promise<unknown>,
): Promise<void> {
  const inputs = fc.array(one, { minLength: length, maxLength: length });
  const property = fc.asyncProperty(inputs, async (input) => {
    await send(input);
    await requireHealthy(input);
  });
  await fc.assert(property, { seed: SEED, numRuns: Math.ceil(numRuns), endOnFailure: true });
  expect(server.complaints).toEqual([]);
}

describe(`random input (FUZZ_SEED=${SEED})`, () => {
  it(
    `over HTTP gets an answer to each of ${REQUESTS} requests, and delays nobody`,
    async () => {
      await check(requestsTo(operations), AT_ONCE, REQUESTS / AT_ONCE, (requests) =>
        Promise.all(requests.map(send)),
      );
      // Input that every operation refuses would test little.
      expect(succeeded).toBeGreaterThan(REQUESTS / 10);
    },
    DEADLINE_MS,
  );

  it(
    'of subscriptions, opened and dropped in large numbers, gets answers and delays nobody',
    async () => {
      let started = 0;
      await check(subscriptions, 20, REQUESTS / 100, async (all) => {
        const answers = await Promise.all(
          all.map((one) => follow(server.url, one, credentials[one.as])),
        );
        for (const [at, answer] of answers.entries()) {
          if (answer?.status === 200) started += 1;
          if (answer && isFault(answer)) throw new Error(`${answer.text} to ${textOf(all[at])}`);
        }
      });
      expect(started).toBeGreaterThan(0);
    },
    DEADLINE_MS,
  );

  it(
    'over a WebSocket closes that connection at most',
    async () => {
      await check(socketSessions, 4, REQUESTS / 100, (sessions) =>
        Promise.all(sessions.map((session) => speak(server.url, token, session))),
      );
    },
    DEADLINE_MS,
  );
});
