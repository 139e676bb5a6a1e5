import { request as httpRequest } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { invalid } from '../../support/answers.ts';
import { allEvents } from '../../support/events.ts';
import { eventually, SOON_MS } from '../../support/eventually.ts';
import {
  answersWith,
  fails,
  json,
  MODELS,
  type ModelProviders,
  PROVIDERS,
  type ProviderName,
  type Reply,
  startModelProviders,
} from '../../support/model-provider.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { PATHS, setAdvancedWebhooks } from '../../support/webhooks.ts';
import { createWorkspaceKey } from '../../support/workspaces.ts';

type Headers = Record<string, string>;

const KEY = 'sk-LEAK0123456789-ABCDEFGHIJ-klmnopqrst';
const QUESTION = { prompt: 'Make this friendlier.', text: 'Your invoice is late.' };

let providers: ModelProviders;
let server: TestServer;

beforeAll(async () => {
  providers = await startModelProviders();
  server = await startTestServer({
    ...providers.environment,
    AI_TIMEOUT_SECONDS: '1',
    AI_CALLS_PER_WORKSPACE: '2',
  });
  await setKeys(server.keyHeaders);
  // The first call of each provider loads its library, which may take longer than the time limit.
  providers.reply(answersWith({ text: 'Done.' }));
  for (const provider of PROVIDERS) await ask(MODELS[provider]);
});

beforeEach(() => providers.reply(answersWith({ text: 'Done.' })));

const setKeys = (headers: Headers, at = server) =>
  at.call(
    '/v2/workspace/apikeyconfig/update',
    { aiModelApiKey: PROVIDERS.map((provider) => ({ provider, customerApiKey: KEY })) },
    headers,
  );

const ask = (model = 'gen-4o', headers: Headers = server.keyHeaders, at = server) =>
  at.call('/v2/rewriter/ask-ai', { model, ...QUESTION }, headers);

/** Extracts the sentence about a problem, and fails on any other answer. */
function problemIn({ status, body }: Answer): string {
  expect(status).toBe(200);
  expect(body).toEqual({ result: { success: false, error: expect.any(String) } });
  expect(body.result.error).not.toContain('NAME');
  return body.result.error;
}

const NAMES: Record<ProviderName, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};

/** Failures in the words of each provider, which may contain the key. */
const WORDS = `Sorry, ${KEY}.`;
const openai = (code: string | null = null) => ({
  error: { message: WORDS, type: 'invalid_request_error', param: null, code },
});
const anthropic = (type: string, message = WORDS) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_1',
});
const gemini = (code: number, status: string, message = WORDS) => [
  { error: { code, message, status } },
];
const REFUSED = "refused this workspace's API key";

const FAILURES: Array<[ProviderName, string, number, unknown, sentence: string]> = [
  ['openai', 'a wrong key', 401, openai('invalid_api_key'), REFUSED],
  ['openai', 'a key without the right', 403, openai(), REFUSED],
  ['openai', 'a model of others', 403, openai('model_not_found'), 'knows no such model'],
  ['openai', 'an unknown model', 404, openai('model_not_found'), 'knows no such model'],
  ['openai', 'too many requests', 429, openai('rate_limit_exceeded'), 'has too many requests'],
  ['openai', 'no credit', 429, openai('insufficient_quota'), 'no credit left'],
  ['openai', 'a long text', 400, openai('context_length_exceeded'), 'too long for this model'],
  ['openai', 'a forbidden text', 400, openai('content_policy_violation'), 'declined to answer'],
  ['openai', 'a request that it dislikes', 400, openai(), 'did not accept the request'],
  ['openai', 'a failure', 500, openai(), 'has a problem'],
  ['openai', 'a failure of a gateway', 502, '<html>Bad gateway</html>', 'has a problem'],
  ['anthropic', 'a wrong key', 401, anthropic('authentication_error'), REFUSED],
  ['anthropic', 'a key without the right', 403, anthropic('permission_error'), REFUSED],
  ['anthropic', 'an unknown model', 404, anthropic('not_found_error'), 'knows no such model'],
  ['anthropic', 'too many requests', 429, anthropic('rate_limit_error'), 'has too many requests'],
  [
    ...(['anthropic', 'no credit', 400] as const),
    anthropic('invalid_request_error', 'Your credit balance is too low.'),
    'no credit left',
  ],
  [
    ...(['anthropic', 'a long text', 400] as const),
    anthropic('invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum'),
    'too long for this model',
  ],
  ['anthropic', 'a failure', 500, anthropic('api_error'), 'has a problem'],
  ['anthropic', 'too much work', 529, anthropic('overloaded_error'), 'has a problem'],
  [
    ...(['gemini', 'a wrong key', 400] as const),
    gemini(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
    REFUSED,
  ],
  ['gemini', 'a key without the right', 403, gemini(403, 'PERMISSION_DENIED'), REFUSED],
  ['gemini', 'an unknown model', 404, gemini(404, 'NOT_FOUND'), 'knows no such model'],
  ['gemini', 'too many requests', 429, gemini(429, 'RESOURCE_EXHAUSTED'), 'has too many requests'],
  ['gemini', 'a failure', 503, gemini(503, 'UNAVAILABLE'), 'has a problem'],
];

describe('a failing provider', () => {
  it.each(FAILURES)(
    '%s with %s (%i) is reported in a sentence of this service',
    async (provider, _what, status, body, sentence) => {
      providers.reply(fails(status, body, { 'retry-after': '60' }));
      const error = problemIn(await ask(MODELS[provider]));
      expect(error).toContain(sentence);
      expect(error).toContain(NAMES[provider]);
      expect(error).not.toContain('LEAK');
      // A retry costs money, so it is left to the caller.
      expect(providers.seen).toHaveLength(1);
    },
  );

  const ENDINGS: Array<[string, Reply, RegExp]> = [
    ['refuses to answer', answersWith({ text: 'I', finish: 'refused' }), /declined to answer/],
    ['answers nothing', answersWith({ text: '' }), /gave an empty answer/],
    ['answers blanks', answersWith({ text: ' \n' }), /gave an empty answer/],
    ['answers half', answersWith({ text: 'We noti', finish: 'cut' }), /was cut off/],
    [
      'does not speak its format',
      (_, response) => json(response, 200, {}),
      /not in its own format/,
    ],
    ['speaks broken JSON', (_, response) => json(response, 200, '{"id":'), /not in its own format/],
    [
      'speaks HTML',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>'),
      /not in its own format/,
    ],
    [
      'leads elsewhere',
      (_, response) => response.writeHead(307, { location: '/openai/v1/elsewhere' }).end(),
      /not in its own format/,
    ],
    ['hangs up', (_, response) => response.destroy(), /cannot be reached/],
    [
      'hangs up in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"id":', () => response.destroy());
      },
      /broke off/,
    ],
    ['never answers', () => {}, /did not answer in time/],
    [
      'never ends its answer',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"id":');
      },
      /did not answer in time/,
    ],
  ];

  it.each(PROVIDERS.flatMap((provider) => ENDINGS.map((ending) => [provider, ...ending] as const)))(
    '%s that %s is reported in a sentence',
    async (provider, _what, reply, sentence) => {
      providers.reply(reply);
      expect(problemIn(await ask(MODELS[provider]))).toMatch(sentence);
      expect(providers.seen).toHaveLength(1);
    },
  );

  it('that refuses in the words of the model is reported so', async () => {
    const message = { role: 'assistant', content: null, refusal: `No, ${KEY}.` };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    providers.reply((_, response) => json(response, 200, { choices, usage: null }));
    expect(problemIn(await ask())).toMatch(/^OpenAI declined to answer/);
  });

  it('that is unreachable is reported so', async () => {
    const gone = await startModelProviders();
    await gone.close();
    const away = await startTestServer({ ...gone.environment, AI_TIMEOUT_SECONDS: '5' });
    await setKeys(away.keyHeaders, away);
    for (const provider of PROVIDERS) {
      const error = problemIn(await ask(MODELS[provider], away.keyHeaders, away));
      expect(error).toMatch(/cannot be reached at the moment/);
    }
  });

  it('at a private address is reported so, and never reached', async () => {
    const { OUTBOUND_ALLOWED_NETWORKS: _, ...environment } = providers.environment;
    const strict = await startTestServer(environment);
    await setKeys(strict.keyHeaders, strict);
    for (const provider of PROVIDERS) {
      const error = problemIn(await ask(MODELS[provider], strict.keyHeaders, strict));
      expect(error).toContain('OUTBOUND_ALLOWED_NETWORKS');
    }
    expect(providers.seen).toEqual([]);
  });
});

it('private networks can be opened for model gateways without opening them for webhooks', async () => {
  const { OUTBOUND_ALLOWED_NETWORKS: networks, ...environment } = providers.environment;
  const opened = await startTestServer({
    ...environment,
    GATEWAY_ALLOWED_NETWORKS: String(networks),
  });
  await setKeys(opened.keyHeaders, opened);
  for (const provider of PROVIDERS) {
    const { body } = await ask(MODELS[provider], opened.keyHeaders, opened);
    expect(body.result).toEqual({ success: true, text: 'Done.' });
  }
  await setAdvancedWebhooks(opened, opened.keyHeaders, true);
  const url = String(environment.OPENAI_BASE_URL);
  const input = { url, filterTypes: ['organization.add'] };
  const { body } = await opened.call(PATHS.create, input, opened.keyHeaders);
  expect(body).toMatchObject(invalid('url'));
  expect(body.error.message).toContain('OUTBOUND_ALLOWED_NETWORKS');
});

describe('an answer with the provider key in it', () => {
  it.each([
    ['whole', KEY],
    ['inside a text', `Your key is ${KEY}, take care.`],
    ['in part', `It begins with ${KEY.slice(0, 20)}…`],
  ])('is withheld: %s', async (_what, text) => {
    for (const provider of PROVIDERS) {
      providers.reply(answersWith({ text }));
      const error = problemIn(await ask(MODELS[provider]));
      expect(error).toContain('contained the API key');
      expect(error).not.toContain('LEAK');
    }
  });
});

describe('a caller who disconnects', () => {
  it('cancels the call of the provider', async () => {
    const headers = await createWorkspaceKey(server);
    await setKeys(headers);
    for (const provider of PROVIDERS) {
      providers.reply(() => {});
      const caller = new AbortController();
      const call = startCall(MODELS[provider], headers, caller.signal);
      await eventually(() => expect(providers.seen).toHaveLength(1));
      caller.abort();
      await call;
      await eventually(() => expect(providers.seen[0]?.cancelled).toBe(true), SOON_MS);
    }
    await eventually(async () => {
      const events = await allEvents(server, { types: ['rewriter.usage'] }, headers);
      expect(events.map(({ data }) => data.success)).toEqual([false, false, false]);
    });
  });

  it('releases the permit and the Idempotency-Key', async () => {
    const headers = await createWorkspaceKey(server);
    await setKeys(headers);
    providers.reply(() => {});
    const idempotent = { ...headers, 'idempotency-key': 'after-leaving' };
    const caller = new AbortController();
    const call = startCall('gen-4o', idempotent, caller.signal);
    await eventually(() => expect(providers.seen).toHaveLength(1));
    caller.abort();
    await call;
    await eventually(() => expect(providers.seen[0]?.cancelled).toBe(true), SOON_MS);
    providers.reply(answersWith({ text: 'Done.' }));
    expect((await ask('gen-4o', idempotent)).body.result).toEqual({ success: true, text: 'Done.' });
  });

  /** Starts a call without waiting for its answer. */
  async function startCall(model: string, headers: Headers, signal: AbortSignal): Promise<void> {
    const request = httpRequest(`${server.url}/v2/rewriter/ask-ai`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      signal,
    });
    request.on('error', () => {});
    const closed = new Promise((resolve) => request.on('close', resolve));
    request.end(JSON.stringify({ data: { model, ...QUESTION } }));
    await closed;
  }
});

describe('a workspace', () => {
  it('runs two calls at once here; the others wait, and all are answered', async () => {
    let running = 0;
    let most = 0;
    const bothRun = Promise.withResolvers();
    providers.reply(async (request, response) => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) bothRun.resolve(undefined);
      await bothRun.promise;
      running -= 1;
      answersWith({ text: 'Done.' })(request, response);
    });
    const answers = await Promise.all(Array.from({ length: 9 }, () => ask()));
    expect(answers.map(({ body }) => body.result.success)).toEqual(Array(9).fill(true));
    expect(most).toBe(2);
  });

  it('does not delay another workspace', async () => {
    const headers = await createWorkspaceKey(server);
    await setKeys(headers);
    providers.reply(() => {});
    const held = [ask(), ask(), ask()];
    await eventually(() => expect(providers.seen).toHaveLength(2));
    providers.reply(answersWith({ text: 'Done.' }));
    expect((await ask('gen-4o', headers)).body.result.success).toBe(true);
    const outcomes = (await Promise.all(held)).map(({ body }) => body.result.success);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
  });

  it('is refused when its queue is full', async () => {
    const patient = await startPatientServer();
    const release = holdAnswers();
    const asked = Array.from({ length: 102 }, () => ask('gen-4o', patient.keyHeaders, patient));
    expect(problemIn(await Promise.race(asked))).toMatch(/^Too many texts of this workspace/);
    expect(await waitingAt(patient)).toBe(100);
    release();
    const answers = await Promise.all(asked);
    expect(answers.filter(({ body }) => body.result.success)).toHaveLength(101);
    expect(await waitingAt(patient)).toBe(0);
  });
});

describe('a stopping server', () => {
  it('refuses waiting callers, and answers the calls under way', async () => {
    const stopping = await startPatientServer();
    const release = holdAnswers();
    const served = ask('gen-4o', stopping.keyHeaders, stopping);
    await eventually(() => expect(providers.seen).toHaveLength(1));
    const waiting = ask('gen-4o', stopping.keyHeaders, stopping);
    await eventually(async () => expect(await waitingAt(stopping)).toBe(1));
    const stopped = stopping.app.stop();
    expect(problemIn(await waiting)).toMatch(/^This server is stopping/);
    release();
    expect((await served).body.result).toEqual({ success: true, text: 'Done.' });
    await stopped;
  });
});

/** A server that allows one call at a time and waits long for it. */
async function startPatientServer(): Promise<TestServer> {
  const patient = await startTestServer({ ...providers.environment, AI_CALLS_PER_WORKSPACE: '1' });
  await setKeys(patient.keyHeaders, patient);
  return patient;
}

/** Makes providers hold their answers until the returned function is called. */
function holdAnswers(): () => void {
  const held: Array<() => unknown> = [];
  let isHeld = true;
  providers.reply((request, response) => {
    const answer = () => answersWith({ text: 'Done.' })(request, response);
    if (isHeld) held.push(answer);
    else answer();
  });
  return () => {
    isHeld = false;
    for (const answer of held) answer();
  };
}

async function waitingAt({ url }: TestServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^ai_calls_waiting (\d+)$/m.exec(text)?.[1]);
}
