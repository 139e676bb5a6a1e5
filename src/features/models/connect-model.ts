import type { Services } from '../../api/context.ts';
import { outboundFetch } from './outbound-fetch.ts';
import { anthropicModel } from './providers/anthropic.ts';
import { geminiModel } from './providers/gemini.ts';
import { openaiModel } from './providers/openai.ts';
import type { ModelProvider } from './schema.ts';
import type { ModelAccess, TextModel } from './text-model.ts';

type Context = Pick<Services, 'config' | 'gateways'>;
type Connect = (access: Omit<ModelAccess, 'baseURL'>, config: Services['config']) => TextModel;

const PROVIDERS: Record<ModelProvider, Connect> = {
  openai: (access, config) => openaiModel({ ...access, baseURL: config.openaiBaseUrl }),
  anthropic: (access, config) => anthropicModel({ ...access, baseURL: config.anthropicBaseUrl }),
  gemini: (access, config) => geminiModel({ ...access, baseURL: config.geminiBaseUrl }),
};

/** Connects to a provider's model, for one call with one key. */
export function connectModel(
  { config, gateways }: Context,
  provider: ModelProvider,
  apiKey: string,
): TextModel {
  const access = { apiKey, timeoutMs: config.aiTimeoutMs, fetch: outboundFetch(gateways) };
  return PROVIDERS[provider](access, config);
}
