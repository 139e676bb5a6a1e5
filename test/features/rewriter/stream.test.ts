import type { ServerResponse } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KeyContext } from '../../../src/api/context.ts';
import type { AskAiItem } from '../../../src/features/rewriter/schema.ts';
import { streamAnswer } from '../../../src/features/rewriter/stream-answer.ts';
import { USER_REWRITE_RATE } from '../../../src/features/rewriter/user-rewrites.ts';
import { allEvents } from '../../support/events.ts';
import { eventually, SOON_MS } from '../../support/eventually.ts';
import {
  answersWith,
  eventsOf,
  fails,
  INPUT_TOKENS,
  MODELS,
  type ModelProviders,
  OUTPUT_TOKENS,
  PROVIDERS,
  type Reply,
  startModelProviders,
} from '../../support/model-provider.ts';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';
import { createTrpcClient } from '../../support/trpc-client.ts';

const KEY = 'sk-LEAK0123456789-ABCDEFGHIJ-klmnopqrst';
const QUESTION = { prompt: 'Make this friendlier.', text: 'Your invoice is late.' };

let providers: ModelProviders;
let server: TestServer;

beforeAll(async () => {
  providers = await startModelProviders();
  server = await startTestServer({
    ...providers.environment,
    AI_TIMEOUT_SECONDS: '2',
    AI_CALLS_PER_WORKSPACE: '1',
  });
  await server.call('/v2/workspace/apikeyconfig/update', {
    aiModelApiKey: PROVIDERS.map((provider) => ({ provider, customerApiKey: KEY })),
  });
});

beforeEach(() => providers.reply(answersWith({ text: 'Done.' })));

interface Listener {
  signal?: AbortSignal;
  tenantId?: string;
  lastEventId?: string;
}

/** Subscribes to an answer with the server's key. */
function listen(
  model: string,
  { signal, tenantId = server.quickstart.apiKey, lastEventId }: Listener = {},
) {
  const { workspaceId } = server.quickstart;
  const quotas = { storageBytes: null, mailsPerDay: null, modelTokensPerDay: null };
  const ctx = { ...server.app.services, signal, tenantId, key: { workspaceId, quotas } };
  return streamAnswer(ctx as KeyContext, { model, ...QUESTION, lastEventId });
}

async function allOf(items: ReturnType<typeof listen>): Promise<AskAiItem[]> {
  const all: AskAiItem[] = [];
  for await (const [, item] of items) all.push(item);
  return all;
}

const texts = (items: AskAiItem[]) =>
  items.flatMap((item) => (item.type === 'text' ? [item.text] : []));

describe('a streamed answer', () => {
  it.each(PROVIDERS)('arrives in the chunks of %s, and ends with its usage', async (provider) => {
    const chunks = ['We ', 'noticed ', 'an open ', 'invoice: “42 €”.'];
    providers.reply(answersWith({ text: chunks.join(''), parts: chunks }));
    const items = await allOf(listen(MODELS[provider]));
    expect(texts(items)).toEqual(chunks);
    expect(items.at(-1)).toEqual({
      type: 'done',
      inputTokens: INPUT_TOKENS,
      outputTokens: OUTPUT_TOKENS,
      durationMs: expect.any(Number),
    });
    expect(items).toHaveLength(chunks.length + 1);
    expect(providers.seen[0]?.body.stream).toBe(true);
  });

  it('requests the usage, which chat completions do not send by default', async () => {
    await allOf(listen('gen-4o'));
    expect(providers.seen[0]?.body.stream_options).toEqual({ include_usage: true });
  });

  it.each(PROVIDERS)('passes on each chunk as it arrives: %s', async (provider) => {
    let finish = () => {};
    providers.reply(
      firstChunkThen((response, rest) => {
        finish = () => response.end(rest);
      }),
    );
    const items = listen(MODELS[provider]);
    expect((await items.next()).value?.[1]).toEqual({ type: 'text', text: 'One' });
    finish();
    expect(texts(await allOf(items))).toEqual([' two']);
  });

  it.each([
    ['refused', /declined to answer/],
    ['cut', /was cut off/],
  ] as const)('that is %s ends with a sentence', async (finish, sentence) => {
    for (const provider of PROVIDERS) {
      providers.reply(answersWith({ text: 'Half', finish }));
      const items = await allOf(listen(MODELS[provider]));
      expect(items.at(-1)).toEqual({ type: 'error', error: expect.stringMatching(sentence) });
    }
  });

  it.each(PROVIDERS)('that breaks off ends with a sentence: %s', async (provider) => {
    for (const end of ['end', 'destroy'] as const) {
      providers.reply(firstChunkThen((response) => response[end]()));
      const items = await allOf(listen(MODELS[provider]));
      expect(items.at(-1)).toEqual({ type: 'error', error: expect.stringContaining('broke off') });
    }
  });

  it.each(PROVIDERS)('that is refused at once is one sentence: %s', async (provider) => {
    providers.reply(fails(401, { error: { message: KEY, type: 'authentication_error' } }));
    const items = await allOf(listen(MODELS[provider]));
    expect(items).toEqual([{ type: 'error', error: expect.stringContaining('API key') }]);
    expect(JSON.stringify(items)).not.toContain('LEAK');
  });

  it.each(PROVIDERS)(
    'in which the provider reports a failure ends with a sentence: %s',
    async (provider) => {
      providers.reply((_, response) => {
        const failure = { type: 'overloaded_error', message: KEY };
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(
          `event: error\ndata: ${JSON.stringify({ type: 'error', error: failure })}\n\n`,
        );
      });
      const items = await allOf(listen(MODELS[provider]));
      expect(items).toEqual([
        { type: 'error', error: expect.stringContaining('problem of its own') },
      ]);
    },
  );

  it.each(PROVIDERS)('that is not in the format of %s ends with a sentence', async (provider) => {
    providers.reply((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`event: message_start\ndata: {"${KEY}\n\n`);
    });
    const items = await allOf(listen(MODELS[provider]));
    expect(items).toEqual([{ type: 'error', error: expect.stringContaining('own format') }]);
  });

  it('that takes too long ends with a sentence', async () => {
    providers.reply(firstChunkThen(() => {}));
    const items = await allOf(listen('asst-sonnet-4-5'));
    expect(items.at(-1)).toEqual({ type: 'error', error: expect.stringContaining('in time') });
    await eventually(() => expect(providers.seen[0]?.cancelled).toBe(true));
  });

  it('withholds the key, also across chunks', async () => {
    const chunks = ['It is ', ...(KEY.match(/.{1,5}/g) ?? []), '.'];
    providers.reply(answersWith({ text: chunks.join(''), parts: chunks }));
    const items = await allOf(listen('gen-4o'));
    expect(texts(items).join('')).toMatch(/^It is .{0,3}$/);
    expect(items.at(-1)).toEqual({ type: 'error', error: expect.stringContaining('withheld') });
  });
});

describe('a subscriber that reconnects', () => {
  it('gets an error instead of a second call of the provider', async () => {
    const ids: string[] = [];
    for await (const [id] of listen('gen-4o')) ids.push(id);
    expect(ids).toEqual(['1', 'end']);
    const again = await allOf(listen('gen-4o', { lastEventId: '1' }));
    expect(again).toEqual([{ type: 'error', error: expect.stringContaining('broke off') }]);
    expect(await allOf(listen('gen-4o', { lastEventId: 'end' }))).toEqual([]);
    expect(providers.seen).toHaveLength(1);
  });
});

describe('a subscriber that unsubscribes', () => {
  it.each(PROVIDERS)(
    'cancels the call of %s, releases the permit, and its usage is published',
    async (provider) => {
      const other = await createTenant(server);
      const tenantId = other['x-svc-api-key'];
      for (const how of ['by leaving', 'by asking for no more']) {
        providers.reply(firstChunkThen(() => {}));
        const caller = new AbortController();
        const items = listen(MODELS[provider], { signal: caller.signal, tenantId });
        expect((await items.next()).value?.[1]).toEqual({ type: 'text', text: 'One' });
        if (how === 'by leaving') {
          const next = items.next();
          caller.abort();
          await expect(next).rejects.toMatchObject({ status: 'ABORTED' });
        } else {
          await items.return(undefined);
        }
        await eventually(() => expect(providers.seen[0]?.cancelled).toBe(true), SOON_MS);
      }
      await eventually(async () => {
        const events = await allEvents(server, { types: ['rewriter.usage'] }, other);
        expect(events.map(({ data }) => data.success)).toEqual([false, false]);
      });
      providers.reply(answersWith({ text: 'Done.' }));
      expect(texts(await allOf(listen('gen-4o')))).toEqual(['Done.']);
    },
  );
});

/** Streams the answer "One two" up to its first chunk, and then calls `next`. */
const firstChunkThen =
  (next: (response: ServerResponse, rest: string) => unknown): Reply =>
  ({ provider, body }, response) => {
    const events = eventsOf(provider, body.model, { text: 'One two', parts: ['One', ' two'] });
    const upTo = events.findIndex((event) => event.includes('"One"')) + 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const rest = events.slice(upTo).join('');
    response.write(events.slice(0, upTo).join(''), () => next(response, rest));
  };

describe('rewriter.stream', () => {
  const subscribe = (model: string, headers: Record<string, string>) => {
    const client = createTrpcClient({ url: server.url, headers });
    return new Promise<AskAiItem[]>((resolve, reject) => {
      const items: AskAiItem[] = [];
      const onData = (item: { data: AskAiItem }) => items.push(item.data);
      const listener = { onData, onComplete: () => resolve(items), onError: reject };
      client.rewriter.stream.subscribe({ model, ...QUESTION }, listener);
    });
  };
  const tokenOf = async (userId: string) => {
    const { body } = await server.call('/v2/auth/generate_token', { userId });
    return { authorization: `Bearer ${body.result.data.token}` };
  };

  const letUsers = async (allowUserRewrites: boolean) => {
    const { status } = await server.call('/v2/workspace/apikeyconfig/update', {
      allowUserRewrites,
    });
    expect(status).toBe(200);
  };

  it("limits each user's concurrent answers and answers a minute", async () => {
    await letUsers(true);
    const { userCalls, userRate } = server.app.services.modelLimits;
    const nameOf = (userId: string) => JSON.stringify([server.quickstart.apiKey, userId]);
    const refused = expect.objectContaining({
      data: expect.objectContaining({ status: 'RESOURCE_EXHAUSTED' }),
    });
    const held = [nameOf('busy'), nameOf('busy')].map((name) => userCalls.acquire(name));
    const busy = await tokenOf('busy');
    await expect(subscribe('gen-4o', busy)).rejects.toEqual(refused);
    for (const release of await Promise.all(held)) release();
    expect((await subscribe('gen-4o', busy)).at(-1)).toMatchObject({ type: 'done' });

    const { points } = USER_REWRITE_RATE;
    for (let n = 0; n < points; n++) await userRate.consume(nameOf('eager'));
    await expect(subscribe('gen-4o', await tokenOf('eager'))).rejects.toEqual(refused);
    expect((await subscribe('gen-4o', busy)).at(-1)).toMatchObject({ type: 'done' });
    expect((await subscribe('gen-4o', server.keyHeaders)).at(-1)).toMatchObject({ type: 'done' });
  });

  it('streams an answer to typed clients, of keys and of users, and completes', async () => {
    await letUsers(true);
    for (const headers of [server.keyHeaders, await tokenOf('ada')]) {
      providers.reply(answersWith({ text: 'All done.', parts: ['All ', 'done.'] }));
      const items = await subscribe('gen-4o', headers);
      expect(texts(items)).toEqual(['All ', 'done.']);
      expect(items.at(-1)).toMatchObject({ type: 'done' });
    }
  });

  it('reports a failure of the provider in its last item', async () => {
    await letUsers(true);
    providers.reply(fails(500, {}));
    const items = await subscribe('gen-4o', await tokenOf('ada'));
    expect(items).toEqual([{ type: 'error', error: expect.stringContaining('OpenAI') }]);
  });

  it('refuses an unknown model', async () => {
    await expect(subscribe('nobody-1', server.keyHeaders)).rejects.toMatchObject({
      data: { status: 'INVALID_ARGUMENT' },
    });
  });
});
