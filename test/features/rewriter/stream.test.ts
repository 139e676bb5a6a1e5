import type { ServerResponse } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KeyContext } from '../../../src/api/context.ts';
import type { AskAiItem } from '../../../src/features/rewriter/schema.ts';
import { streamAnswer } from '../../../src/features/rewriter/stream-answer.ts';
import { USER_REWRITE_RATE } from '../../../src/features/rewriter/user-rewrites.ts';
import { userHeaders } from '../../support/annotations.ts';
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
  streamEventsOf,
} from '../../support/model-provider.ts';
import { createTenant, startTestServer } from '../../support/server.ts';
import { createTrpcClient } from '../../support/trpc-client.ts';

const KEY = 'sk-LEAK0123456789-ABCDEFGHIJ-klmnopqrst';
const QUESTION = { prompt: 'Make this friendlier.', text: 'Your invoice is late.' };
const DONE = answersWith({ text: 'Done.' });

const providers = await startModelProviders();
const server = await startTestServer({
  ...providers.environment,
  ...{ AI_TIMEOUT_SECONDS: '1', AI_CALLS_PER_WORKSPACE: '1' },
});

beforeAll(async () => {
  await server.ok('/v2/workspace/apikeyconfig/update', {
    aiModelApiKey: PROVIDERS.map((provider) => ({ provider, customerApiKey: KEY })),
    allowUserRewrites: true,
  });
  // The first call of each provider loads its library, which may take longer than the time limit.
  providers.reply(DONE);
  for (const provider of PROVIDERS) await allOf(listen(MODELS[provider]));
});

beforeEach(() => providers.reply(DONE));

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

/** Streams the answer "One two" up to its first chunk, and then calls `next`. */
const firstChunkThen =
  (next: (response: ServerResponse, rest: string) => unknown): Reply =>
  ({ provider, body }, response) => {
    const events = streamEventsOf(provider, body.model, {
      text: 'One two',
      parts: ['One', ' two'],
    });
    const upTo = events.findIndex((event) => event.includes('"One"')) + 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const rest = events.slice(upTo).join('');
    response.write(events.slice(0, upTo).join(''), () => next(response, rest));
  };

/** A stream that consists of this text. */
const streams =
  (text: string): Reply =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${text}\n\n`);
const REFUSAL = { error: { message: KEY, type: 'authentication_error' } };
const FAILURE = JSON.stringify({
  type: 'error',
  error: { type: 'overloaded_error', message: KEY },
});

/** Replies of a provider whose answer ends with an error: the texts before it, and its sentence. */
const ENDINGS: Array<[what: string, Reply, before: string[], RegExp, ProviderName[]?]> = [
  ['is refused', answersWith({ text: 'Half', finish: 'refused' }), ['Half'], /declined to answer/],
  ['is cut', answersWith({ text: 'Half', finish: 'cut' }), ['Half'], /was cut off/],
  ['ends early', firstChunkThen((response) => response.end()), ['One'], /broke off/],
  ['breaks off', firstChunkThen((response) => response.destroy()), ['One'], /broke off/],
  ['fails at once', fails(401, REFUSAL), [], /API key/],
  ['fails within', streams(`event: error\ndata: ${FAILURE}`), [], /problem of its own/],
  ['is malformed', streams(`event: message_start\ndata: {"${KEY}`), [], /not in the format that/],
  ['takes too long', firstChunkThen(() => {}), ['One'], /in time/, ['anthropic']],
];

describe('a streamed answer', () => {
  it.each(PROVIDERS)(
    'arrives in the chunks of %s as they come, and ends with its usage',
    async (provider) => {
      let finish = () => {};
      providers.reply(
        firstChunkThen((response, rest) => {
          finish = () => response.end(rest);
        }),
      );
      const items = listen(MODELS[provider]);
      expect((await items.next()).value?.[1]).toEqual({ type: 'text', text: 'One' });
      finish();
      const usage = { inputTokens: INPUT_TOKENS, outputTokens: OUTPUT_TOKENS };
      expect(await allOf(items)).toEqual([
        { type: 'text', text: ' two' },
        { type: 'done', ...usage, durationMs: expect.any(Number) },
      ]);
      const { stream, stream_options } = providers.seen[0]?.body ?? {};
      expect(stream).toBe(true);
      // Chat completions send no usage by default.
      if (provider !== 'anthropic') expect(stream_options).toEqual({ include_usage: true });
    },
  );

  it.each(ENDINGS)(
    'that %s ends with a sentence',
    async (what, reply, before, sentence, of = PROVIDERS) => {
      for (const provider of of) {
        providers.reply(reply);
        const items = await allOf(listen(MODELS[provider]));
        const error = { type: 'error', error: expect.stringMatching(sentence) };
        const expected = [...before.map((text) => ({ type: 'text', text })), error];
        expect(items, provider).toEqual(expected);
        expect(JSON.stringify(items)).not.toContain('LEAK');
        const [request] = providers.seen;
        if (what === 'takes too long')
          await eventually(() => expect(request?.cancelled).toBe(true));
      }
    },
  );

  it('withholds the key, also across chunks', async () => {
    const chunks = ['It is ', ...(KEY.match(/.{1,5}/g) ?? []), '.'];
    providers.reply(answersWith({ text: chunks.join(''), parts: chunks }));
    const items = await allOf(listen('gen-4o'));
    expect(texts(items).join('')).toMatch(/^It is .{0,3}$/);
    expect(items.at(-1)).toEqual({ type: 'error', error: expect.stringContaining('withheld') });
  });
});

it('a subscriber that reconnects gets an error instead of a second call of the provider', async () => {
  const ids: string[] = [];
  for await (const [id] of listen('gen-4o')) ids.push(id);
  expect(ids).toEqual(['1', 'end']);
  const again = await allOf(listen('gen-4o', { lastEventId: '1' }));
  expect(again).toEqual([{ type: 'error', error: expect.stringContaining('broke off') }]);
  expect(await allOf(listen('gen-4o', { lastEventId: 'end' }))).toEqual([]);
  expect(providers.seen).toHaveLength(1);
});

it.each(PROVIDERS)(
  'a subscriber that unsubscribes cancels the call of %s, which releases its permit and publishes its usage',
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
    providers.reply(DONE);
    expect(texts(await allOf(listen('gen-4o')))).toEqual(['Done.']);
  },
);

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
  const tokenOf = (userId: string) => userHeaders(server, userId, []);
  const done = expect.objectContaining({ type: 'done' });

  it('limits how many answers a user has at once, and how many in a minute', async () => {
    const { userCalls, userRate } = server.app.services.modelLimits;
    const nameOf = (userId: string) => JSON.stringify([server.quickstart.apiKey, userId]);
    const refused = expect.objectContaining({
      data: expect.objectContaining({ status: 'RESOURCE_EXHAUSTED' }),
    });
    const held = [nameOf('busy'), nameOf('busy')].map((name) => userCalls.acquire(name));
    const busy = await tokenOf('busy');
    await expect(subscribe('gen-4o', busy)).rejects.toEqual(refused);
    for (const release of await Promise.all(held)) release();
    expect((await subscribe('gen-4o', busy)).at(-1)).toEqual(done);

    const { points } = USER_REWRITE_RATE;
    for (let n = 0; n < points; n++) await userRate.consume(nameOf('eager'));
    await expect(subscribe('gen-4o', await tokenOf('eager'))).rejects.toEqual(refused);
    for (const headers of [busy, server.keyHeaders]) {
      expect((await subscribe('gen-4o', headers)).at(-1)).toEqual(done);
    }
  });

  it('streams an answer to typed clients, of keys and of users, and completes', async () => {
    for (const headers of [server.keyHeaders, await tokenOf('ada')]) {
      providers.reply(answersWith({ text: 'All done.', parts: ['All ', 'done.'] }));
      const items = await subscribe('gen-4o', headers);
      expect(texts(items)).toEqual(['All ', 'done.']);
      expect(items.at(-1)).toEqual(done);
      providers.reply(fails(500, {}));
      const failed = { type: 'error', error: expect.stringContaining('OpenAI') };
      expect(await subscribe('gen-4o', headers)).toEqual([failed]);
    }
    await expect(subscribe('nobody-1', server.keyHeaders)).rejects.toMatchObject({
      data: { status: 'INVALID_ARGUMENT' },
    });
  });
});
