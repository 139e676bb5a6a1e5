import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import {
  answersWith,
  INPUT_TOKENS,
  MODELS,
  type ModelProviders,
  OUTPUT_TOKENS,
  PROVIDERS,
  type ProviderName,
  startModelProviders,
} from '../../support/model-provider.ts';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';
import { createWorkspaceKey } from '../../support/workspaces.ts';

const KEYS: Record<ProviderName, string> = {
  openai: 'sk-proj-openai-0123456789abcdef',
  anthropic: 'sk-ant-anthropic-0123456789abcdef',
  gemini: 'AIza-gemini-0123456789abcdef',
};
const QUESTION = { prompt: 'Make this friendlier.', text: 'Your invoice is late.' };

let providers: ModelProviders;
let server: TestServer;

beforeAll(async () => {
  providers = await startModelProviders();
  server = await startTestServer(providers.environment);
  await setKeys(KEYS);
});

beforeEach(() => providers.reply(answersWith({ text: 'We noticed an open invoice.' })));

const setKeys = (keys: Partial<typeof KEYS>, headers: Record<string, string> = server.keyHeaders) =>
  server.call(
    '/v2/workspace/apikeyconfig/update',
    {
      aiModelApiKey: Object.entries(keys).map(([provider, customerApiKey]) => ({
        provider,
        customerApiKey,
      })),
    },
    headers,
  );

const ask = (
  model: string,
  question: object = QUESTION,
  headers: Record<string, string> = server.keyHeaders,
) => server.call('/v2/rewriter/ask-ai', { model, ...question }, headers);

async function onlyRequest() {
  expect(providers.seen).toHaveLength(1);
  const [request] = providers.seen;
  if (!request) throw new Error('Nothing was asked.');
  return request;
}

describe('the answer of a model', () => {
  it.each(PROVIDERS)('is all that the result contains: %s', async (provider) => {
    const { status, body } = await ask(MODELS[provider]);
    expect(status).toBe(200);
    expect(body).toEqual({ result: { success: true, text: 'We noticed an open invoice.' } });
  });

  it('is requested from OpenAI as chat completions', async () => {
    await ask('gen-4o');
    const { provider, method, path, headers, body } = await onlyRequest();
    expect({ provider, method, path }).toEqual({
      provider: 'openai',
      method: 'POST',
      path: '/v1/chat/completions',
    });
    expect(headers.authorization).toBe(`Bearer ${KEYS.openai}`);
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual({
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: QUESTION.prompt },
        { role: 'user', content: QUESTION.text },
      ],
    });
  });

  it('is requested from Gemini through its compatible endpoint', async () => {
    await ask('lang-2.5-flash');
    const { provider, path, headers, body } = await onlyRequest();
    expect({ provider, path }).toEqual({
      provider: 'gemini',
      path: '/v1beta/openai/chat/completions',
    });
    expect(headers.authorization).toBe(`Bearer ${KEYS.gemini}`);
    expect(body.model).toBe('gemini-2.5-flash');
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user']);
  });

  it('is requested from Anthropic as messages', async () => {
    await ask('asst-sonnet-4-5');
    const { provider, path, headers, body } = await onlyRequest();
    expect({ provider, path }).toEqual({ provider: 'anthropic', path: '/v1/messages' });
    expect(headers.authorization).toBe(`Bearer ${KEYS.anthropic}`);
    expect(headers['anthropic-version']).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 16_384,
      system: QUESTION.prompt,
      messages: [{ role: 'user', content: QUESTION.text }],
      stream: false,
    });
  });

  it.each([
    ['asst-3-haiku-20240307', 4_096],
    ['asst-3-5-sonnet-latest', 8_192],
    ['asst-3-7-sonnet-latest', 16_384],
  ])('is limited to the tokens that a model of %s can write', async (model, most) => {
    await ask(model);
    expect((await onlyRequest()).body.max_tokens).toBe(most);
  });

  it('keeps every character in both directions', async () => {
    const text = ' “Grüße” \t\n\u{1f469}\u200d\u{1f680} \\u0000 ';
    providers.reply(answersWith({ text }));
    expect((await ask('gen-4o', { prompt: 'Echo.', text })).body.result.text).toBe(text);
    expect((await onlyRequest()).body.messages[1].content).toBe(text);
  });

  it('may be asked about a text of a megabyte', async () => {
    const text = 'x'.repeat(1_000_000);
    expect((await ask('gen-4o', { prompt: 'Shorten.', text })).body.result.success).toBe(true);
    expect((await onlyRequest()).body.messages[1].content).toHaveLength(text.length);
  });
});

describe('model prefixes', () => {
  it.each([
    ['gen-4o', 'openai', 'gpt-4o'],
    ['gpt-4o', 'openai', 'gpt-4o'],
    ['r1-mini', 'openai', 'o1-mini'],
    ['o1-mini', 'openai', 'o1-mini'],
    ['r3-pro', 'openai', 'o3-pro'],
    ['o3-pro', 'openai', 'o3-pro'],
    ['r4-mini', 'openai', 'o4-mini'],
    ['o4-mini', 'openai', 'o4-mini'],
    ['asst-haiku-4-5', 'anthropic', 'claude-haiku-4-5'],
    ['claude-haiku-4-5', 'anthropic', 'claude-haiku-4-5'],
    ['lang-2.5-pro', 'gemini', 'gemini-2.5-pro'],
    ['gemini-2.5-pro', 'gemini', 'gemini-2.5-pro'],
  ])('lead %s to %s, as %s', async (model, provider, name) => {
    await ask(model);
    const request = await onlyRequest();
    expect({ provider: request.provider, name: request.body.model }).toEqual({ provider, name });
  });

  it.each(['r1-mini', 'r3-pro', 'r4-mini', 'o1-mini', 'o3-pro', 'o4-mini'])(
    'put the prompt at the beginning of the only user message: %s',
    async (model) => {
      await ask(model);
      expect((await onlyRequest()).body.messages).toEqual([
        { role: 'user', content: `${QUESTION.prompt}\n\n${QUESTION.text}` },
      ]);
    },
  );

  it.each([
    'llama-3',
    'gen-',
    'gen',
    'o3',
    'GEN-4o',
    ' gen-4o',
    'gen-4o\n',
    'my-gen-4o',
    'gen-4 o',
  ])('of no provider are refused, and no provider is called: %j', async (model) => {
    const { status, body } = await ask(model);
    expect(status).toBe(400);
    expect(body.error.status).toBe('INVALID_ARGUMENT');
    expect(body.error.details.issues[0].path).toBe('model');
    expect(providers.seen).toEqual([]);
  });
});

describe('an invalid request', () => {
  it.each([
    ['prompt', ' \n'],
    ['prompt', 'x'.repeat(65_537)],
    ['text', ''],
    ['text', 'x'.repeat(1_000_001)],
  ])('is INVALID_ARGUMENT, and no provider is called: %s', async (field, value) => {
    const { status, body } = await ask('gen-4o', { ...QUESTION, [field]: value });
    expect(status).toBe(400);
    expect(body.error.details.issues[0].path).toBe(field);
    expect(providers.seen).toEqual([]);
  });
});

describe('provider keys', () => {
  it('serve every API key of their workspace', async () => {
    const sibling = await createTenant(server);
    expect((await ask('gen-4o', QUESTION, sibling)).body.result.success).toBe(true);
    expect((await onlyRequest()).headers.authorization).toBe(`Bearer ${KEYS.openai}`);
  });

  it('of another workspace are never used', async () => {
    const stranger = await createWorkspaceKey(server);
    for (const provider of PROVIDERS) {
      const { status, body } = await ask(MODELS[provider], QUESTION, stranger);
      expect(status).toBe(200);
      expect(body.result).toEqual({
        success: false,
        error: expect.stringContaining('is configured in this workspace'),
      });
    }
    expect(providers.seen).toEqual([]);
    await setKeys({ openai: 'sk-of-the-stranger-0123456789' }, stranger);
    await ask('gen-4o', QUESTION, stranger);
    expect((await onlyRequest()).headers.authorization).toBe(
      'Bearer sk-of-the-stranger-0123456789',
    );
  });

  it('belong to one provider', async () => {
    const headers = await createWorkspaceKey(server);
    await setKeys({ openai: KEYS.openai }, headers);
    expect((await ask('gen-4o', QUESTION, headers)).body.result.success).toBe(true);
    const { body } = await ask('asst-sonnet-4-5', QUESTION, headers);
    expect(body.result.error).toContain('No API key for Anthropic');
  });

  it('apply from the next call on, and stop with the call after their removal', async () => {
    const headers = await createWorkspaceKey(server);
    for (const key of ['sk-first-0123456789abcdef', 'sk-second-0123456789abcdef']) {
      await setKeys({ openai: key }, headers);
      await ask('gen-4o', QUESTION, headers);
      expect(providers.seen.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
    }
    await setKeys({ openai: '' }, headers);
    expect((await ask('gen-4o', QUESTION, headers)).body.result.success).toBe(false);
  });
});

describe('an Idempotency-Key', () => {
  it('calls a model once, and repeats the first answer', async () => {
    const headers = { ...server.keyHeaders, 'idempotency-key': 'rewriter-once' };
    const answers = await Promise.all([1, 2, 3].map(() => ask('gen-4o', QUESTION, headers)));
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    await onlyRequest();
    const other = await ask('gen-4o', { ...QUESTION, text: 'Something else.' }, headers);
    expect(other.status).toBe(400);
    await onlyRequest();
  });
});

describe('usage', () => {
  it.each([
    ['gen-4o', 'openai', 'gpt'],
    ['r3-pro', 'openai', 'o3'],
    ['asst-sonnet-4-5', 'anthropic', 'claude'],
    ['lang-2.5-flash', 'gemini', 'gemini'],
  ])(
    'of %s is published as an event and counted in the metrics',
    async (model, provider, family) => {
      const headers = await createTenant(server);
      const before = await metric('ai_tokens_total', provider, family, 'direction="output"');
      await ask(model, QUESTION, headers);
      const event = await eventually(async () => {
        const [first, ...others] = await allEvents(server, { types: ['rewriter.usage'] }, headers);
        expect(others).toEqual([]);
        if (!first) throw new Error('There is no event yet.');
        return first;
      });
      expect(event.data).toEqual({
        model: (await onlyRequest()).body.model,
        provider,
        inputTokens: INPUT_TOKENS,
        outputTokens: OUTPUT_TOKENS,
        durationMs: expect.any(Number),
        success: true,
      });
      const after = await metric('ai_tokens_total', provider, family, 'direction="output"');
      expect(after - before).toBe(OUTPUT_TOKENS);
      const labels = 'outcome="success"';
      expect(
        await metric('ai_call_duration_seconds_count', provider, family, labels),
      ).toBeGreaterThan(0);
    },
  );

  it('is published for failed calls too, but not if no provider was called', async () => {
    const headers = await createWorkspaceKey(server);
    await ask('gen-4o', QUESTION, headers);
    await setKeys({ openai: KEYS.openai }, headers);
    providers.reply(answersWith({ text: 'Half of', finish: 'cut' }));
    await ask('gen-4.1', QUESTION, headers);
    await eventually(async () => {
      const events = await allEvents(server, { types: ['rewriter.usage'] }, headers);
      expect(events.map(({ data }) => data)).toEqual([
        expect.objectContaining({ model: 'gpt-4.1', success: false, outputTokens: OUTPUT_TOKENS }),
      ]);
    });
  });

  it('has no labels with values from customers', async () => {
    await ask('gen-made-up-by-a-customer');
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(text).toContain('ai_tokens_total{');
    expect(text).not.toContain('made-up');
  });

  async function metric(name: string, provider: string, family: string, label: string) {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const start = `${name}{provider="${provider}",family="${family}",${label}} `;
    const line = text.split('\n').find((candidate) => candidate.startsWith(start));
    return Number(line?.slice(start.length) ?? 0);
  }
});
