import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Headers, invalid } from '../../support/answers.ts';
import { allEvents } from '../../support/events.ts';
import { eventually, SOON_MS } from '../../support/eventually.ts';
import {
  answersWith,
  fails,
  INPUT_TOKENS,
  MODELS,
  OUTPUT_TOKENS,
  PROVIDERS,
  type ProviderName,
  type Reply,
  startModelProviders,
} from '../../support/model-provider.ts';
import { scrape } from '../../support/scrape.ts';
import { type Answer, createTenant, startTestServer } from '../../support/server.ts';
import { PATHS, setAdvancedWebhooks } from '../../support/webhooks.ts';
import { createWorkspaceKey } from '../../support/workspaces.ts';

const KEYS: Record<ProviderName, string> = {
  openai: 'sk-proj-LEAK-openai-0123456789abcdef',
  anthropic: 'sk-ant-LEAK-anthropic-0123456789abcdef',
  gemini: 'AIza-LEAK-gemini-0123456789abcdef',
};
const QUESTION = { prompt: 'Make this friendlier.', text: 'Your invoice is late.' };
const DONE = answersWith({ text: 'Done.' });

const providers = await startModelProviders();
const server = await startTestServer({
  ...providers.environment,
  ...{ AI_TIMEOUT_SECONDS: '1', AI_CALLS_PER_WORKSPACE: '2' },
});

beforeAll(async () => {
  await setKeys();
  // The first call of each provider loads its library, which may take longer than the time limit.
  providers.reply(DONE);
  for (const provider of PROVIDERS) await ask(MODELS[provider]);
});

beforeEach(() => providers.reply(DONE));

const setKeys = (headers = server.keyHeaders, keys: object = KEYS, at = server) => {
  const aiModelApiKey = Object.entries(keys).map(([provider, customerApiKey]) => ({
    provider,
    customerApiKey,
  }));
  return at.ok('/v2/workspace/apikeyconfig/update', { aiModelApiKey }, headers);
};

const ask = (model = 'gen-4o', headers = server.keyHeaders, question: object = {}, at = server) =>
  at.call('/v2/rewriter/ask-ai', { model, ...QUESTION, ...question }, headers);
/** Whether the call succeeds. */
const succeeds = async (...args: Parameters<typeof ask>): Promise<boolean> =>
  (await ask(...args)).body.result.success;

function onlyRequest() {
  expect(providers.seen).toHaveLength(1);
  const [request] = providers.seen;
  if (!request) throw new Error('No request arrived.');
  return request;
}

/** Extracts the sentence about a problem, and fails on any other answer. */
function problemIn({ status, body }: Answer): string {
  expect(status).toBe(200);
  expect(body).toEqual({ result: { success: false, error: expect.any(String) } });
  expect(body.result.error).not.toMatch(/NAME|LEAK/);
  return body.result.error;
}

/** The data of all events about the usage of models by a key. */
const usageOf = async (headers: Headers) =>
  (await allEvents(server, { types: ['rewriter.usage'] }, headers)).map(({ data }) => data);

describe('the answer of a model', () => {
  const messages = [
    { role: 'system', content: QUESTION.prompt },
    { role: 'user', content: QUESTION.text },
  ];
  it.each([
    ['openai', '/v1/chat/completions', { model: 'gpt-4o', messages }],
    ['gemini', '/v1beta/openai/chat/completions', { model: 'gemini-2.5-flash', messages }],
    [
      'anthropic',
      '/v1/messages',
      {
        ...{ model: 'claude-sonnet-4-5', max_tokens: 16_384, system: QUESTION.prompt },
        ...{ messages: messages.slice(1), stream: false },
      },
    ],
  ] as const)(
    'is requested from %s at %s, and is all that the result contains',
    async (provider, path, body) => {
      const answer = await ask(MODELS[provider]);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ result: { success: true, text: 'Done.' } });
      const { headers, ...request } = onlyRequest();
      expect(request).toMatchObject({ provider, method: 'POST', path });
      expect(request.body).toEqual(body);
      expect(headers.authorization).toBe(`Bearer ${KEYS[provider]}`);
      expect(headers['content-type']).toBe('application/json');
      const version = provider === 'anthropic' ? /^\d{4}-\d\d-\d\d$/ : /^$/;
      expect(headers['anthropic-version'] ?? '').toMatch(version);
    },
  );

  it.each([
    ['asst-3-haiku-20240307', 4_096],
    ['asst-3-5-sonnet-latest', 8_192],
    ['asst-3-7-sonnet-latest', 16_384],
  ])('is limited to the tokens that a model of %s can write', async (model, most) => {
    await ask(model);
    expect(onlyRequest().body.max_tokens).toBe(most);
  });

  it('keeps every character in both directions', async () => {
    for (const text of [' “Grüße” \t\n\u{1f469}\u200d\u{1f680} \\u0000 ', 'x'.repeat(1_000_000)]) {
      providers.reply(answersWith({ text }));
      const { body } = await ask('gen-4o', server.keyHeaders, { prompt: 'Echo.', text });
      expect(body.result.text === text).toBe(true);
      expect(onlyRequest().body.messages[1].content === text).toBe(true);
    }
  });
});

describe('model prefixes', () => {
  it.each([
    ['openai', 'gpt-4o', 'gen-4o'],
    ['openai', 'o1-mini', 'r1-mini'],
    ['openai', 'o3-pro', 'r3-pro'],
    ['openai', 'o4-mini', 'r4-mini'],
    ['anthropic', 'claude-haiku-4-5', 'asst-haiku-4-5'],
    ['gemini', 'gemini-2.5-pro', 'lang-2.5-pro'],
  ])('lead to %s, as %s, also from %s', async (...[provider, name, alias]) => {
    for (const model of [name, alias]) {
      providers.reply(DONE);
      await ask(model);
      const { body, ...request } = onlyRequest();
      expect([request.provider, body.model]).toEqual([provider, name]);
      // These models take the prompt at the beginning of the only user message.
      if (/^o\d/.test(name)) {
        const content = `${QUESTION.prompt}\n\n${QUESTION.text}`;
        expect(body.messages).toEqual([{ role: 'user', content }]);
      }
    }
  });

  it('of no provider are refused, and no provider is called', async () => {
    const unknown = 'llama-3 gen- gen o3 GEN-4o my-gen-4o'.split(' ');
    for (const model of [...unknown, ' gen-4o', 'gen-4o\n', 'gen-4 o']) {
      expect((await ask(model)).body, model).toEqual(invalid('model'));
    }
    expect(providers.seen).toEqual([]);
    // Labels of metrics have no values from customers.
    expect([...(await scrape(server.url)).keys()].join()).not.toContain('my-gen-4o');
  });
});

it('an invalid prompt or text is refused, and no provider is called', async () => {
  for (const [field, value] of [
    ['prompt', ' \n'],
    ['prompt', 'x'.repeat(65_537)],
    ['text', ''],
    ['text', 'x'.repeat(1_000_001)],
  ] as const) {
    expect((await ask('gen-4o', server.keyHeaders, { [field]: value })).body).toEqual(
      invalid(field),
    );
  }
  expect(providers.seen).toEqual([]);
});

describe('provider keys', () => {
  it('serve every API key of their workspace, and no other', async () => {
    expect(await succeeds('gen-4o', await createTenant(server))).toBe(true);
    expect(onlyRequest().headers.authorization).toBe(`Bearer ${KEYS.openai}`);
    const stranger = await createWorkspaceKey(server);
    for (const provider of PROVIDERS) {
      const problem = problemIn(await ask(MODELS[provider], stranger));
      expect(problem).toContain('is configured in this workspace');
    }
    expect(providers.seen).toHaveLength(1);
  });

  it('belong to one provider, from the next call on, and until they are removed', async () => {
    const headers = await createWorkspaceKey(server);
    for (const openai of ['sk-first-0123456789abcdef', 'sk-second-0123456789abcdef']) {
      await setKeys(headers, { openai });
      await ask('gen-4o', headers);
      expect(providers.seen.at(-1)?.headers.authorization).toBe(`Bearer ${openai}`);
    }
    const problem = problemIn(await ask('asst-sonnet-4-5', headers));
    expect(problem).toContain('No API key for Anthropic');
    await setKeys(headers, { openai: '' });
    expect(await succeeds('gen-4o', headers)).toBe(false);
  });
});

it('an Idempotency-Key calls a model once, and repeats the first answer', async () => {
  const headers = { ...server.keyHeaders, 'idempotency-key': 'rewriter-once' };
  const answers = await Promise.all([1, 2, 3].map(() => ask('gen-4o', headers)));
  for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
  expect((await ask('gen-4o', headers, { text: 'Something else.' })).status).toBe(400);
  onlyRequest();
});

describe('usage', () => {
  it.each([
    ['gen-4o', 'openai', 'gpt'],
    ['r3-pro', 'openai', 'o3'],
    ['asst-sonnet-4-5', 'anthropic', 'claude'],
    ['lang-2.5-flash', 'gemini', 'gemini'],
  ])('of %s is published and counted in the metrics', async (model, provider, family) => {
    const headers = await createTenant(server);
    const labels = `provider="${provider}",family="${family}"`;
    const tokens = `ai_tokens_total{${labels},direction="output"}`;
    const before = (await scrape(server.url)).get(tokens) ?? 0;
    await ask(model, headers);
    const tokenCounts = { inputTokens: INPUT_TOKENS, outputTokens: OUTPUT_TOKENS };
    const called = { model: onlyRequest().body.model, provider, success: true };
    const usage = { ...called, ...tokenCounts, durationMs: expect.any(Number) };
    await eventually(async () => expect(await usageOf(headers)).toEqual([usage]));
    const metrics = await scrape(server.url);
    expect(metrics.get(tokens)).toBe(before + OUTPUT_TOKENS);
    const calls = `ai_call_duration_seconds_count{${labels},outcome="success"}`;
    expect(metrics.get(calls)).toBeGreaterThan(0);
  });

  it('is published for failed calls too, but not if no provider was called', async () => {
    const headers = await createWorkspaceKey(server);
    await ask('gen-4o', headers);
    await setKeys(headers);
    providers.reply(answersWith({ text: 'Half of', finish: 'cut' }));
    await ask('gen-4.1', headers);
    const data = { model: 'gpt-4.1', success: false, outputTokens: OUTPUT_TOKENS };
    await eventually(async () => expect(await usageOf(headers)).toMatchObject([data]));
  });
});

/** Failures in the words of each provider, which may contain the key. */
const WORDS = `Sorry, ${KEYS.openai}.`;
const openai = (code: string | null = null) => ({
  error: { message: WORDS, type: 'invalid_request_error', param: null, code },
});
const anthropic = (type: string, message = WORDS) => ({ type: 'error', error: { type, message } });
const gemini = (code: number, status: string, message = WORDS) => [
  { error: { code, message, status } },
];
const REFUSED = "refused this workspace's API key";
const UNKNOWN = 'does not have this model';
const BUSY = 'has received too many requests';
const OUTAGE = 'has a problem';
const NO_CREDIT = 'no credit left';
const LONG = 'too long for this model';
const NAMES = { openai: 'OpenAI', anthropic: 'Anthropic', gemini: 'Gemini' };

const FAILURES: Array<[ProviderName, number, unknown, sentence: string]> = [
  ['openai', 401, openai('invalid_api_key'), REFUSED],
  ['openai', 403, openai(), REFUSED],
  ['openai', 403, openai('model_not_found'), UNKNOWN],
  ['openai', 404, openai('model_not_found'), UNKNOWN],
  ['openai', 429, openai('rate_limit_exceeded'), BUSY],
  ['openai', 429, openai('insufficient_quota'), NO_CREDIT],
  ['openai', 400, openai('context_length_exceeded'), LONG],
  ['openai', 400, openai('content_policy_violation'), 'declined to answer'],
  ['openai', 400, openai(), 'did not accept the request'],
  ['openai', 500, openai(), OUTAGE],
  ['anthropic', 401, anthropic('authentication_error'), REFUSED],
  ['anthropic', 403, anthropic('permission_error'), REFUSED],
  ['anthropic', 404, anthropic('not_found_error'), UNKNOWN],
  ['anthropic', 429, anthropic('rate_limit_error'), BUSY],
  ['anthropic', 400, anthropic('invalid_request_error', 'Your credit balance is low.'), NO_CREDIT],
  ['anthropic', 400, anthropic('invalid_request_error', 'prompt is too long: 25 > 20'), LONG],
  ['anthropic', 529, anthropic('overloaded_error'), OUTAGE],
  ['gemini', 400, gemini(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass one.'), REFUSED],
  ['gemini', 403, gemini(403, 'PERMISSION_DENIED'), REFUSED],
  ['gemini', 404, gemini(404, 'NOT_FOUND'), UNKNOWN],
  ['gemini', 429, gemini(429, 'RESOURCE_EXHAUSTED'), BUSY],
  ['gemini', 503, gemini(503, 'UNAVAILABLE'), OUTAGE],
];

const JSON_HEAD = { 'content-type': 'application/json' };
const refusal = { role: 'assistant', content: null, refusal: `No, ${KEYS.openai}.` };
const PART = `It begins with ${KEYS.openai.slice(0, 20)}…`;
const choices = [{ index: 0, message: refusal, finish_reason: 'stop' }];
const PACKED = gzipSync(Buffer.alloc(5_000_000, ' '));
const FORMAT = /not in the format that/;
const TOO_LARGE = /response is too large/;
const IN_TIME = /did not respond in time/;

/** Gemini is reached by the library of OpenAI. */
const LIBRARIES: ProviderName[] = ['openai', 'anthropic'];
const ENDINGS: Array<[string, Reply, RegExp, ProviderName[]?]> = [
  ['refuses to answer', answersWith({ text: 'I', finish: 'refused' }), /declined to answer/],
  ['refuses in the words of the model', fails(200, { choices }), /^OpenAI declined/, ['openai']],
  ['answers blanks', answersWith({ text: ' \n' }), /returned an empty response/],
  ['answers half', answersWith({ text: 'We noti', finish: 'cut' }), /was cut off/],
  ['shows a part of its key', answersWith({ text: PART }), /contained the API key/, ['openai']],
  ['does not speak its format', fails(200, {}), FORMAT],
  ['speaks broken JSON', fails(200, '{"id":'), FORMAT],
  ['speaks HTML', fails(200, '<p>Hello</p>', { 'content-type': 'text/html' }), FORMAT],
  ['leads elsewhere', fails(307, '', { location: '/openai/v1/elsewhere' }), FORMAT],
  ['sends more than a model writes', answersWith({ text: 'x'.repeat(5_000_000) }), TOO_LARGE],
  [
    'sends a packed answer that is much larger',
    (_, response) =>
      response.writeHead(200, { ...JSON_HEAD, 'content-encoding': 'gzip' }).end(PACKED),
    TOO_LARGE,
    ['openai'],
  ],
  ['explains a failure at great length', fails(500, ' '.repeat(5_000_000)), /a problem of its own/],
  ['hangs up', (_, response) => response.destroy(), /cannot be reached/],
  [
    'hangs up in the middle',
    (_, response) => {
      response.writeHead(200, { ...JSON_HEAD, 'content-length': '1000' });
      response.write('{"id":', () => response.destroy());
    },
    /broke off/,
  ],
  ['never answers', () => {}, IN_TIME, ['openai']],
  [
    'never ends its answer',
    (_, response) => response.writeHead(200, JSON_HEAD).write('{"id":'),
    IN_TIME,
  ],
];

describe('a failing provider', () => {
  it.each(FAILURES)(
    '%s with %i %j is reported in a sentence',
    async (provider, status, body, sentence) => {
      providers.reply(fails(status, body, { 'retry-after': '60' }));
      const error = problemIn(await ask(MODELS[provider]));
      expect(error).toContain(sentence);
      expect(error).toContain(NAMES[provider]);
      // A retry costs money, so it is left to the caller.
      onlyRequest();
    },
  );

  it.each(ENDINGS)(
    'that %s is reported in a sentence',
    async (_, reply, sentence, of = LIBRARIES) => {
      for (const provider of of) {
        providers.reply(reply);
        expect(problemIn(await ask(MODELS[provider])), provider).toMatch(sentence);
        onlyRequest();
      }
    },
  );

  it('at a private address is reported so, and never reached', async () => {
    const { OUTBOUND_ALLOWED_NETWORKS: _, ...environment } = providers.environment;
    const strict = await startTestServer(environment);
    await setKeys(strict.keyHeaders, KEYS, strict);
    for (const provider of LIBRARIES) {
      const error = problemIn(await ask(MODELS[provider], strict.keyHeaders, {}, strict));
      expect(error).toContain('OUTBOUND_ALLOWED_NETWORKS');
    }
    expect(providers.seen).toEqual([]);
  });
});

it('private networks can be opened for model gateways without opening them for webhooks', async () => {
  const { OUTBOUND_ALLOWED_NETWORKS: networks, ...environment } = providers.environment;
  const gone = await startModelProviders();
  await gone.close();
  const opened = await startTestServer({
    ...environment,
    ...{ GATEWAY_ALLOWED_NETWORKS: String(networks), AI_TIMEOUT_SECONDS: '5' },
    ANTHROPIC_BASE_URL: String(gone.environment.ANTHROPIC_BASE_URL),
  });
  await setKeys(opened.keyHeaders, KEYS, opened);
  const answerOf = (model: string) => ask(model, opened.keyHeaders, {}, opened);
  expect((await answerOf('gen-4o')).body.result).toEqual({ success: true, text: 'Done.' });
  expect(problemIn(await answerOf('asst-sonnet-4-5'))).toMatch(/cannot be reached at the moment/);
  await setAdvancedWebhooks(opened, opened.keyHeaders, true);
  const input = { url: environment.OPENAI_BASE_URL, filterTypes: ['organization.add'] };
  const { body } = await opened.call(PATHS.create, input);
  expect(body).toMatchObject(invalid('url'));
  expect(body.error.message).toContain('OUTBOUND_ALLOWED_NETWORKS');
});

it('a caller who disconnects cancels the call, and releases the permit and the Idempotency-Key', async () => {
  const headers = await createWorkspaceKey(server);
  await setKeys(headers);
  // A call with the key of an equal one waits until that has released it.
  const idempotent = (provider: ProviderName) => ({
    ...headers,
    'idempotency-key': `after-leaving-${provider}`,
  });
  for (const provider of [...LIBRARIES, ...LIBRARIES]) {
    providers.reply(() => {});
    const caller = new AbortController();
    const request = httpRequest(`${server.url}/v2/rewriter/ask-ai`, {
      method: 'POST',
      headers: { ...idempotent(provider), ...JSON_HEAD },
      signal: caller.signal,
    });
    request.on('error', () => {});
    const closed = new Promise((resolve) => request.on('close', resolve));
    request.end(JSON.stringify({ data: { model: MODELS[provider], ...QUESTION } }));
    await eventually(() => expect(providers.seen).toHaveLength(1));
    caller.abort();
    await closed;
    await eventually(() => expect(providers.seen[0]?.cancelled).toBe(true), SOON_MS);
  }
  const failed = Array(4).fill({ success: false });
  await eventually(async () => expect(await usageOf(headers)).toMatchObject(failed));
  providers.reply(DONE);
  expect(await succeeds(MODELS.openai, idempotent('openai'))).toBe(true);
});

describe('a workspace', () => {
  it('runs two calls at once here; the others wait, and all are answered', async () => {
    let [running, most] = [0, 0];
    const bothRun = Promise.withResolvers();
    providers.reply(async (request, response) => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) bothRun.resolve(undefined);
      await bothRun.promise;
      running -= 1;
      DONE(request, response);
    });
    const answers = await Promise.all(Array.from({ length: 9 }, () => succeeds()));
    expect(answers).toEqual(Array(9).fill(true));
    expect(most).toBe(2);
  });

  it('does not delay another workspace', async () => {
    const headers = await createWorkspaceKey(server);
    await setKeys(headers);
    providers.reply(() => {});
    const held = [succeeds(), succeeds(), succeeds()];
    await eventually(() => expect(providers.seen).toHaveLength(2));
    providers.reply(DONE);
    expect(await succeeds('gen-4o', headers)).toBe(true);
    expect((await Promise.all(held)).filter(Boolean)).toHaveLength(1);
  });

  it('has a queue of a hundred calls, which a stopping server refuses, and gets answers to calls under way', async () => {
    const environment = { ...providers.environment, AI_CALLS_PER_WORKSPACE: '1' };
    const patient = await startTestServer(environment);
    await setKeys(patient.keyHeaders, KEYS, patient);
    const other = await createWorkspaceKey(patient);
    await setKeys(other, KEYS, patient);
    providers.reply(() => {});
    const hanging = ask('gen-4o', other, {}, patient);
    await eventually(() => expect(providers.seen).toHaveLength(1));
    let release = () => {};
    providers.reply((request, response) => {
      release = () => DONE(request, response);
    });
    const problems: string[] = [];
    const requests = Array.from({ length: 102 }, async () => {
      const answer = await ask('gen-4o', patient.keyHeaders, {}, patient);
      if (!answer.body.result.success) problems.push(problemIn(answer));
      return answer.body.result;
    });
    await eventually(() =>
      expect(problems).toEqual([expect.stringMatching(/^This workspace has too many model calls/)]),
    );
    expect((await scrape(patient.url)).get('ai_calls_waiting')).toBe(100);
    const stopped = patient.app.stop();
    await eventually(() => expect(problems).toHaveLength(101));
    for (const problem of problems.slice(1)) expect(problem).toMatch(/^This server is stopping/);
    release();
    const served = (await Promise.all(requests)).filter(({ success }) => success);
    expect(served).toEqual([{ success: true, text: 'Done.' }]);
    await stopped;
    expect(problemIn(await hanging)).toMatch(/^This server is stopping/);
  });
});
