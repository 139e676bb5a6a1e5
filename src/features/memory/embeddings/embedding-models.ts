import type { Config } from '../../../config.ts';
import type { EmbeddingProvider } from './schema.ts';

interface EmbeddingModel {
  name: string;
  baseUrl(config: Config): string;
  /** The typical cosine of two unrelated texts. */
  unrelated: number;
}

/**
 * Cosines of Gemini stay in a narrow range: texts that have nothing in common are at about 0.7 and
 * paraphrases above 0.9. Those of OpenAI begin near 0.
 */
export const EMBEDDING_MODELS: Record<EmbeddingProvider, EmbeddingModel> = {
  openai: {
    name: 'text-embedding-3-small',
    baseUrl: (config) => config.openaiBaseUrl,
    unrelated: 0,
  },
  gemini: {
    name: 'gemini-embedding-001',
    baseUrl: (config) => config.geminiBaseUrl,
    unrelated: 0.7,
  },
};

/** Both models allow shorter vectors at little loss, and a search reads thousands of them. */
export const DIMENSIONS = 512;
