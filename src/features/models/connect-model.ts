import { type Dispatcher, fetch, Response } from 'undici';
import type { Services } from '../../api/context.ts';
import { ModelProblem } from './problems.ts';
import type { ModelProvider } from './schema.ts';
import type { AskModel, ModelAccess } from './text-model.ts';

type Connect = (access: ModelAccess) => AskModel;

/**
 * For each provider, the setting with its address, and its library. The libraries are large, so
 * each is loaded by the first call of the provider's models.
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

/**
 * The largest answers: larger than any model writes in a minute. A streamed answer has up to 500 bytes for
 * each token. An answer that is not streamed is kept in memory as a whole.
 */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
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
 * `fetch` through the outbound agent, for libraries that accept one. Redirects are not followed,
 * since the request has a key in its headers that other hosts must not receive.
 */
const outboundFetch = (dispatcher: Dispatcher, maxBytes: number): typeof globalThis.fetch => {
  const send = async (url: string, init: object) => {
    const response = await fetch(url, { ...init, redirect: 'manual', dispatcher });
    return response.body ? new Response(limitBytes(response.body, maxBytes), response) : response;
  };
  // The `fetch` of Node is an older copy of the same code. TypeScript takes their types for different ones.
  return send as unknown as typeof globalThis.fetch;
};

/** @throws ModelProblem when an answer is too large */
async function* limitBytes(chunks: AsyncIterable<Uint8Array>, maxBytes: number) {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new ModelProblem('too_large');
    yield chunk;
  }
}
