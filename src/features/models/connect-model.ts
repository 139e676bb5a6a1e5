import { type Dispatcher, fetch } from 'undici';
import type { Services } from '../../api/context.ts';
import type { ModelProvider } from './schema.ts';
import type { ModelAccess, TextModel } from './text-model.ts';

type Context = Pick<Services, 'config' | 'gateways'>;
type Access = Omit<ModelAccess, 'baseURL'>;
type Connect = (access: Access, config: Services['config']) => Promise<TextModel>;

/** The libraries of providers are large, so each is loaded by the first call of one of its models. */
const PROVIDERS: Record<ModelProvider, Connect> = {
  async openai(access, { openaiBaseUrl: baseURL }) {
    const { openaiModel } = await import('./providers/openai.ts');
    return openaiModel({ ...access, baseURL });
  },
  async anthropic(access, { anthropicBaseUrl: baseURL }) {
    const { anthropicModel } = await import('./providers/anthropic.ts');
    return anthropicModel({ ...access, baseURL });
  },
  async gemini(access, { geminiBaseUrl: baseURL }) {
    const { geminiModel } = await import('./providers/openai.ts');
    return geminiModel({ ...access, baseURL });
  },
};

/** Connects to a provider's model, for one call with one key. */
export function connectModel(
  { config, gateways }: Context,
  provider: ModelProvider,
  apiKey: string,
): Promise<TextModel> {
  const access = { apiKey, timeoutMs: config.aiTimeoutMs, fetch: outboundFetch(gateways) };
  return PROVIDERS[provider](access, config);
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
