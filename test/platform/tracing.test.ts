import { describe, expect, it } from 'vitest';
import { describeStatement } from '../../src/platform/database/statements.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { editorsOf } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { mailingKey } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import { answersWith, startModelProviders } from '../support/model-provider.ts';
import { respondWith, startReceiver } from '../support/receiver.ts';
import { startTestServer } from '../support/server.ts';
import { createEndpoint, setAdvancedWebhooks } from '../support/webhooks.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const PROCESS = { process: 7, host: 'here', role: 'api' };

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  status: { code?: number; message?: string };
}
const lines: string[] = [];
const collector = await startReceiver(respondWith(200, {}, '{}'));
const receiver = await startReceiver();
const smtp = await startMailServer();
const models = await startModelProviders();
models.reply(answersWith({ text: 'Done.' }));
const log = createLogger('info', { write: (line) => void lines.push(line) }, PROCESS);
const local = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'plans' };
const server = await startTestServer(
  { ...models.environment, ...local, ...traced, SMTP_URL: smtp.url },
  { log },
);
await setAdvancedWebhooks(server, server.keyHeaders, true);
await createEndpoint(server, server.keyHeaders, { url: receiver.url });

const spans = (): Span[] =>
  collector.received.flatMap(({ event }) =>
    // biome-ignore lint/suspicious/noExplicitAny: the form of OTLP
    event.resourceSpans.flatMap((each: any) => each.scopeSpans.flatMap((one: any) => one.spans)),
  );
const spanOf = (name: string) => spans().find((span) => span.name === name);

describe('traces', () => {
  it('continue the one of the caller, with the statements of the call, and name it in the log', async () => {
    const headers = { ...server.keyHeaders, traceparent: `00-${TRACE}-${CALLER}-01` };
    const data = { organizations: [{ organizationId: 'traced' }] };
    await server.call('/v2/organizations/add', data, headers);
    await eventually(() => {
      const call = spanOf('organizations.add');
      expect(call).toMatchObject({ traceId: TRACE, parentSpanId: CALLER });
      const statements = spans().filter(({ parentSpanId }) => parentSpanId === call?.spanId);
      expect(statements.map(({ name }) => name)).toContain('INSERT organizations');
    });
    const [sent] = collector.received;
    expect(sent?.path).toBe('/v1/traces');
    expect(JSON.stringify(sent?.event.resourceSpans[0].resource)).toContain('plans');
    const line = lines.map((text) => JSON.parse(text)).find(({ trace }) => trace === TRACE);
    expect(line).toMatchObject({ ...PROCESS, operation: 'organizations.add' });
  });

  it('show failures by their status, without their message', async () => {
    await server.call('/v2/organizations/get', { pageSize: 'many' });
    const status = { code: 2, message: 'INVALID_ARGUMENT' };
    await eventually(() => expect(spanOf('organizations.get')?.status).toEqual(status));
  });

  it('have webhooks, whose receivers can continue them, event readers and edits', async () => {
    const editor = await (await editorsOf(server)).open('body');
    editor.text.insert(0, 'traced');
    await editor.sent();
    await eventually(() => {
      const sent = receiver.received.map(({ headers }) => headers.traceparent?.split('-')[1]);
      const deliveries = spans().filter(({ name }) => name === 'webhook delivery');
      expect(deliveries.length).toBeGreaterThan(0);
      for (const { traceId } of deliveries) expect(sent).toContain(traceId);
      expect(spanOf('reader webhooks')).toMatchObject({
        traceId: expect.not.stringMatching(TRACE),
      });
      expect(spanOf('edits')).toBeDefined();
    });
  });

  it('have mails and calls of models, without what they say', async () => {
    const key = await mailingKey(server);
    const place = key.place();
    const { eve } = await key.people(place, 'ada', 'eve');
    await key.comment(place, { commentText: 'Whisper', taggedUserContacts: [eve] });
    await server.call('/v2/workspace/apikeyconfig/update', {
      aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-0123456789' }],
    });
    const question = { model: 'gen-4o', prompt: 'Whisper', text: 'Whisper' };
    expect((await server.call('/v2/rewriter/ask-ai', question)).status).toBe(200);
    await eventually(() => {
      expect(spanOf('mail')).toBeDefined();
      expect(spanOf('model call')?.parentSpanId).toBe(spanOf('rewriter.askAi')?.spanId);
    });
    expect(JSON.stringify(spans())).not.toMatch(/Whisper|eve@|sk-0123456789/);
  });

  it('are not sent unless a collector is set, and webhooks then have no header of them', async () => {
    const silent = await startTestServer(local);
    const quiet = await startReceiver();
    await setAdvancedWebhooks(silent, silent.keyHeaders, true);
    await createEndpoint(silent, silent.keyHeaders, { url: quiet.url });
    await silent.call('/v2/organizations/add', { organizations: [{ organizationId: 'quiet' }] });
    await eventually(() => expect(quiet.received.length).toBeGreaterThan(0));
    expect(quiet.received[0]?.headers).not.toHaveProperty('traceparent');
  });
});

it.each([
  ['SELECT 1 FROM users WHERE tenant_id = $1', 'SELECT users'],
  ['WITH new AS (SELECT) INSERT INTO "event_outbox" (id) SELECT id', 'INSERT event_outbox'],
  ['/* background */ DELETE FROM events USING oldest', 'DELETE events'],
  ['WITH due AS (SELECT 1) -- of any key\nUPDATE users q SET x = 1', 'UPDATE users'],
  ['SELECT FROM documents WHERE x ORDER BY x FOR UPDATE SKIP LOCKED', 'SELECT documents'],
  ['SELECT FROM users JOIN grants USING (x) FOR NO KEY UPDATE OF users', 'SELECT users'],
  ['VACUUM (SKIP_LOCKED) event_outbox', 'VACUUM'],
  ['SAVEPOINT step', 'statement'],
])('statements %s is named after what it does', (text, name) => {
  expect(describeStatement(text)).toBe(name);
});
