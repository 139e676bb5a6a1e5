import { type Dispatcher, fetch } from 'undici';
import type { Services } from '../../api/context.ts';
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

/** Connects to a provider's model, for one call with one key. */
export async function connectModel(
  { config, gateways }: Pick<Services, 'config' | 'gateways'>,
  provider: ModelProvider,
  apiKey: string,
): Promise<AskModel> {
  const { setting, load } = PROVIDERS[provider];
  const connect = await load();
  return connect({
    baseURL: config[setting],
    apiKey,
    timeoutMs: config.aiTimeoutMs,
    fetch: outboundFetch(gateways),
  });
}

/**
 * `fetch` through the outbound agent, for libraries that accept one. Redirects are not followed,
 * since the request has a key in its headers that other hosts must not receive.
 */
const outboundFetch = (dispatcher: Dispatcher): typeof globalThis.fetch => {
  const send = (url: string, init: object) =>
    fetch(url, { ...init, redirect: 'manual', dispatcher });
  // Node's own fetch is an older copy of the same code, with types that TypeScript considers
  // different.
  return send as unknown as typeof globalThis.fetch;
};
