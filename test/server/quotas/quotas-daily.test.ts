import { beforeEach, describe, expect, it } from 'vitest';
import { createServerClient } from '../../../src/client/server.ts';
import { failureOf } from '../../support/answers.ts';
import { eventually } from '../../support/eventually.ts';
import { mailingKey } from '../../support/mail.ts';
import { startMailServer } from '../../support/mail-server.ts';
import {
  answersWith,
  fails,
  INPUT_TOKENS,
  MODELS,
  OUTPUT_TOKENS,
  PROVIDERS,
  startModelProviders,
} from '../../support/model-provider.ts';
import { quotasOf, remaining } from '../../support/quotas.ts';
import { scrape } from '../../support/scrape.ts';
import { createTenant, startTestServer } from '../../support/server.ts';
import { createTrpcClient } from '../../support/trpc-client.ts';

const CALL_TOKENS = INPUT_TOKENS + OUTPUT_TOKENS;
const QUESTION = { prompt: 'Make this friendlier.', text: 'Your invoice is late.' };
const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const tomorrow = () => {
  clock.time += 86_400_000;
};
const [smtp, providers] = await Promise.all([startMailServer(), startModelProviders()]);
const environment = { ...providers.environment, SMTP_URL: smtp.url };
const server = await startTestServer(environment, { clock });
const DATABASE_URL = server.databaseUrl;
const second = await startTestServer({ ...environment, DATABASE_URL }, { clock });
const aiModelApiKey = PROVIDERS.map((provider) => ({ provider, customerApiKey: 'sk-a-key' }));
await server.ok('/v2/workspace/apikeyconfig/update', { aiModelApiKey });

describe('the quota of mails', () => {
  it('sends the allowed number in a day, drops the others, and does not affect inboxes', async () => {
    const key = await mailingKey(server, {
      useNotificationService: true,
      setDefaultNotificationTriggers: true,
    });
    const quotas = quotasOf(server, key.headers);
    await quotas.set({ mailsPerDay: 3 });
    const place = key.place();
    const people = Object.values(await key.people(place, 'p1', 'p2', 'p3', 'p4', 'p5'));
    const arrived = () => people.flatMap(({ email }) => smtp.mailsTo(email)).length;
    await key.comment(place, { taggedUserContacts: people });
    await eventually(async () => {
      const states = Object.values(await key.states(5)).sort();
      expect(states).toEqual(['dropped', 'dropped', 'sent', 'sent', 'sent']);
    });
    expect(arrived()).toBe(3);
    expect((await quotas.get()).mailsPerDay).toEqual({ limit: 3, isDefault: false, used: 3 });
    const counts = await Promise.all([server, second].map(({ url }) => scrape(url)));
    const refused = counts.map(
      (metrics) => metrics.get('quota_refusals_total{quota="mails"}') ?? 0,
    );
    expect(refused.reduce((sum, count) => sum + count)).toBe(2);
    for (const { userId } of people) {
      const filters = { organizationId: place.organizationId, userId };
      await eventually(async () =>
        expect(await key.call('/v2/notifications/get', filters), userId).toHaveLength(1),
      );
    }
    tomorrow();
    await key.comment(place, { taggedUserContacts: people.slice(0, 1) });
    await eventually(() => expect(arrived()).toBe(4));
  });

  it('does not count a mail that could not be sent', async () => {
    const key = await mailingKey(server);
    const quotas = quotasOf(server, key.headers);
    await quotas.set({ mailsPerDay: 1 });
    const place = key.place();
    const { eve } = await key.people(place, 'eve');
    smtp.refuse = (to) => (to === eve.email ? [550, 'Nobody of this name'] : undefined);
    await key.comment(place, { taggedUserContacts: [eve] });
    await eventually(async () => expect(await key.states(1)).toEqual({ eve: 'failed' }));
    expect((await quotas.get()).mailsPerDay.used).toBe(0);
    smtp.refuse = () => undefined;
  });
});

describe('the quota of model tokens', () => {
  let headers: Record<string, string>;
  let quotas: ReturnType<typeof quotasOf>;
  beforeEach(async () => {
    clock.time = Date.UTC(2027, 5, 1, 23, 0, 0);
    headers = await createTenant(server);
    quotas = quotasOf(server, headers);
    providers.reply(answersWith({ text: 'Done.' }));
  });
  const ask = (at = server) =>
    at.call('/v2/rewriter/ask-ai', { ...QUESTION, model: MODELS.openai }, headers);

  it('counts what providers report, refuses calls before asking, which no client repeats, and restarts each day', async () => {
    await quotas.set({ modelTokensPerDay: CALL_TOKENS + 1 });
    expect((await ask()).body.result).toMatchObject({ success: true });
    const last = await ask(second);
    expect(remaining(last)).toEqual({ 'model-tokens': 0 });
    for (const at of [server, second]) {
      const refused = await ask(at);
      expect(failureOf(refused)).toMatchObject({ http: 429, status: 'RESOURCE_EXHAUSTED' });
      expect(refused.headers.get('retry-after')).toBe('3600');
      expect(refused.body.error.details).toEqual({
        quota: 'model-tokens',
        limit: CALL_TOKENS + 1,
        used: 2 * CALL_TOKENS,
        resetsAt: '2027-06-02T00:00:00.000Z',
      });
    }
    const { 'x-svc-api-key': apiKey = '', 'x-svc-auth-token': authToken = '' } = headers;
    const client = createServerClient({ url: server.url, apiKey, authToken });
    const asking = client.rewriter.askAi({ ...QUESTION, model: MODELS.openai });
    await expect(asking).rejects.toMatchObject({ httpStatus: 429, retryable: false });
    expect(providers.seen).toHaveLength(2);
    tomorrow();
    expect((await ask()).body.result).toMatchObject({ success: true });
    expect((await quotas.get()).modelTokensPerDay.used).toBe(CALL_TOKENS);
  });

  it('restarts when the clock is set back by a month', async () => {
    const month = 30 * 86_400_000;
    await quotas.set({ modelTokensPerDay: CALL_TOKENS });
    clock.time += month;
    expect((await ask()).body.result).toMatchObject({ success: true });
    clock.time -= month;
    expect((await ask()).body.result).toMatchObject({ success: true });
    expect((await ask()).status).toBe(429);
  });

  it.each(PROVIDERS)('counts streams of %s, and refuses them in the same words', async (name) => {
    await quotas.set({ modelTokensPerDay: CALL_TOKENS });
    expect((await stream(MODELS[name])).at(-1)).toMatchObject({ type: 'done' });
    expect((await quotas.get()).modelTokensPerDay.used).toBe(CALL_TOKENS);
    await expect(stream(MODELS[name])).rejects.toMatchObject({
      data: { status: 'RESOURCE_EXHAUSTED', details: { quota: 'model-tokens' } },
    });
  });

  it('estimates the tokens when the provider reported none', async () => {
    await quotas.set({ modelTokensPerDay: 1000 });
    providers.reply((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const choices = [{ index: 0, delta: { content: 'Twelve chars' }, finish_reason: null }];
      response.write(
        `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices })}\n\n`,
      );
      setTimeout(() => response.destroy(), 50);
    });
    expect((await stream(MODELS.openai)).at(-1)).toMatchObject({ type: 'error' });
    const { prompt, text } = QUESTION;
    expect((await quotas.get()).modelTokensPerDay.used).toBe(
      Math.ceil((prompt.length + text.length) / 4) + 3,
    );
  });

  it('counts nothing for a call that the provider refused', async () => {
    await quotas.set({ modelTokensPerDay: 1000 });
    providers.reply(fails(401, { error: { message: 'no', type: 'authentication_error' } }));
    expect((await ask()).body.result).toMatchObject({ success: false });
    expect((await quotas.get()).modelTokensPerDay.used).toBe(0);
  });

  /** All items of a streamed answer. */
  const stream = (model: string) =>
    new Promise<object[]>((resolve, reject) => {
      const client = createTrpcClient({ url: server.url, headers });
      const items: object[] = [];
      const onData = ({ data }: { data: { type: string } }) => {
        items.push(data);
        if (data.type === 'text') return;
        subscription.unsubscribe();
        resolve(items);
      };
      const question = { ...QUESTION, model };
      const subscription = client.rewriter.stream.subscribe(question, { onData, onError: reject });
    });
});
