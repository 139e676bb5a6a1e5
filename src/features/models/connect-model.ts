import { type Dispatcher, fetch, Response } from 'undici';
import type { Services } from '../../api/context.ts';
import { ModelProblem } from './problems.ts';
import type { ModelProvider } from './schema.ts';
import type { AskModel, ModelAccess } from './text-model.ts';

type Connect = (access: ModelAccess) => AskModel;

/**
 * For each provider, the setting that holds its address, and the function that loads its library. The
 * libraries are large, so each is loaded by the first call to one of the provider's models.
 */
const PROVIDERS = {
  openai: {
    setting: 'openaiBaseUrl',
    load: async () => (await import('./providers/openai.ts')).openaiModel,
  },
  anthropic: {
    setting: 'anthropicBaseUrl',
    load: async () => (await import('./providers/anthropic.ts')).anthropicModel,
  },
  gemini: {
    setting: 'geminiBaseUrl',
    load: async () => (await import('./providers/openai.ts')).geminiModel,
  },
} as const satisfies Record<
  ModelProvider,
  { setting: keyof Services['config']; load: () => Promise<Connect> }
>;

/** The largest response that is not streamed, but kept in memory. No model writes as much in a minute. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** The largest streamed response, which has up to 500 bytes for each token. */
const MAX_STREAM_BYTES = 32 * 1024 * 1024;

/** Returns a function that asks a provider's model with one key, for one call. */
export async function connectModel(
  { config, gateways }: Pick<Services, 'config' | 'gateways'>,
  { provider, apiKey, stream }: { provider: ModelProvider; apiKey: string; stream: boolean },
): Promise<AskModel> {
  const { setting, load } = PROVIDERS[provider];
  const connect = await load();
  return connect({
    baseURL: config[setting],
    apiKey,
    timeoutMs: config.aiTimeoutMs,
    fetch: outboundFetch(gateways, stream ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES),
  });
}

/**
 * Returns a `fetch` that connects through the dispatcher, for the libraries. Redirects are not followed, since the
 * headers of the request contain a key that other hosts must not receive.
 */
const outboundFetch = (dispatcher: Dispatcher, maxBytes: number): typeof globalThis.fetch => {
  const send = async (url: string, init: object) => {
    const response = await fetch(url, { ...init, redirect: 'manual', dispatcher });
    return response.body ? new Response(limitBytes(response.body, maxBytes), response) : response;
  };
  // Node's own `fetch` is an older copy of the same code, but TypeScript takes the types to be different.
  return send as unknown as typeof globalThis.fetch;
};

/** Passes on the chunks of a response. @throws ModelProblem when it is too large */
async function* limitBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: number) {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ModelProblem('too_large');
    yield chunk;
  }
}
