import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** A request as a provider received it. */
interface SeenRequest {
  provider: ProviderName;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape
  body: any;
  /** Whether the caller closed the connection before the answer. */
  cancelled: boolean;
}

export type Reply = (request: SeenRequest, response: ServerResponse) => unknown;

export type ProviderName = 'openai' | 'anthropic' | 'gemini';

/** A model of each provider, by its neutral name. */
export const MODELS: Record<ProviderName, string> = {
  openai: 'gen-4o',
  anthropic: 'asst-sonnet-4-5',
  gemini: 'lang-2.5-flash',
};

export const PROVIDERS = Object.keys(MODELS) as ProviderName[];

/** All three providers at one local address. */
export async function startModelProviders() {
  let reply: Reply = answersWith({ text: 'Done.' });
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const provider = PROVIDERS.find((name) => url.startsWith(`/${name}/`)) ?? 'openai';
    const path = url.slice(provider.length + 1);
    const body = JSON.parse(await text(request));
    const seen = { provider, method, path, headers, body, cancelled: false };
    response.on('close', () => {
      seen.cancelled = !response.writableFinished;
    });
    providers.seen.push(seen);
    await reply(seen, response);
  });
  const url = await listen(server);
  const providers = {
    /** The settings that make a server use this address. */
    environment: {
      OPENAI_BASE_URL: `${url}/openai/v1`,
      ANTHROPIC_BASE_URL: `${url}/anthropic`,
      GEMINI_BASE_URL: `${url}/gemini/v1beta/openai`,
      OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
    /** The requests since the last `reply`. */
    seen: [] as SeenRequest[],
    /** Sets the answer to later requests. */
    reply(next: Reply) {
      reply = next;
      providers.seen = [];
    },
    async close() {
      server.closeAllConnections();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
  return providers;
}

/** The answer of a model, in the wire format of the request. */
interface ModelAnswer {
  text: string;
  /** The chunks of a streamed answer. */
  parts?: string[];
  finish?: 'complete' | 'cut' | 'refused';
}

export const INPUT_TOKENS = 21;
export const OUTPUT_TOKENS = 7;

export const answersWith =
  (answer: ModelAnswer): Reply =>
  ({ provider, body }, response) => {
    if (!body.stream) {
      const isAnthropic = provider === 'anthropic';
      sendJson(
        response,
        200,
        isAnthropic ? message(body.model, answer) : completion(body.model, answer),
      );
      return;
    }
    const events = streamEventsOf(provider, body.model, answer);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of events) response.write(event);
    response.end();
  };

/** The events of a streamed answer. */
export const streamEventsOf = (
  provider: ProviderName,
  model: string,
  answer: ModelAnswer,
): string[] => (provider === 'anthropic' ? messageEvents(model, answer) : chunks(model, answer));

/** A failure in the format of the provider. */
export const fails =
  (status: number, failure: unknown, headers: Record<string, string> = {}): Reply =>
  (_request, response) =>
    sendJson(response, status, failure, headers);

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const CHAT_FINISH = { complete: 'stop', cut: 'length', refused: 'content_filter' };
const chatUsage = {
  prompt_tokens: INPUT_TOKENS,
  completion_tokens: OUTPUT_TOKENS,
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
};
const chatHead = (model: string, object: string) => ({
  id: 'chatcmpl-1',
  object,
  created: 1_767_603_600,
  model,
});

const completion = (model: string, { text, finish = 'complete' }: ModelAnswer) => ({
  ...chatHead(model, 'chat.completion'),
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: text, refusal: null },
      logprobs: null,
      finish_reason: CHAT_FINISH[finish],
    },
  ],
  usage: chatUsage,
});

function chunks(
  model: string,
  { text, parts = [text], finish = 'complete' }: ModelAnswer,
): string[] {
  const chunk = (choices: object[], usage: object | null = null) =>
    `data: ${JSON.stringify({ ...chatHead(model, 'chat.completion.chunk'), choices, usage })}\n\n`;
  const choice = (delta: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta, finish_reason }]);
  return [
    choice({ role: 'assistant', content: '', refusal: null }),
    ...parts.map((content) => choice({ content })),
    choice({}, CHAT_FINISH[finish]),
    chunk([], chatUsage),
    'data: [DONE]\n\n',
  ];
}

const STOP_REASON = { complete: 'end_turn', cut: 'max_tokens', refused: 'refusal' };
const messageHead = (model: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
});

const message = (model: string, { text, finish = 'complete' }: ModelAnswer) => ({
  ...messageHead(model),
  content: text === '' ? [] : [{ type: 'text', text }],
  stop_reason: STOP_REASON[finish],
  usage: { input_tokens: INPUT_TOKENS, output_tokens: OUTPUT_TOKENS },
});

function messageEvents(
  model: string,
  { text, parts = [text], finish = 'complete' }: ModelAnswer,
): string[] {
  const event = (type: string, fields: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const usage = { input_tokens: INPUT_TOKENS, output_tokens: 1 };
  const start = { ...messageHead(model), content: [], stop_reason: null, usage };
  return [
    event('message_start', { message: start }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('ping'),
    ...parts.map((part) =>
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: part } }),
    ),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: STOP_REASON[finish], stop_sequence: null },
      usage: { output_tokens: OUTPUT_TOKENS },
    }),
    event('message_stop'),
  ];
}
