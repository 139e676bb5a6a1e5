import { type EmbedContext, embedTexts } from './embed-texts.ts';
import { EMBEDDING_MODELS } from './embedding-models.ts';
import { logFailure } from './log-failure.ts';
import { getMemoryConfig } from './memory-config.ts';

/** The vector of a query, with the model that made it. */
export interface QueryEmbedding {
  model: string;
  vector: Float32Array;
  /** The cosine of two texts that have nothing to do with each other. */
  unrelated: number;
}

/** Short, since a caller waits for the answer. */
const TIMEOUT_MS = 2_000;

/**
 * Embeds a query. Returns undefined when embeddings are off or the provider fails: judgments are
 * then found by their words alone.
 */
export async function embedQuery(
  ctx: EmbedContext,
  query: string,
): Promise<QueryEmbedding | undefined> {
  const { isEnabled, provider } = (await getMemoryConfig(ctx)).embeddings;
  if (!isEnabled) return undefined;
  const asked = { provider, texts: [query], timeoutMs: TIMEOUT_MS };
  const vectors = await embedTexts(ctx, asked);
  if (!Array.isArray(vectors)) {
    if (!ctx.signal?.aborted) await logFailure(ctx, provider, vectors);
    return undefined;
  }
  const [vector] = vectors;
  const { name: model, unrelated } = EMBEDDING_MODELS[provider];
  return vector && { model, vector, unrelated };
}
