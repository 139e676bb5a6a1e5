import { type EmbedContext, embedTexts } from './embed-texts.ts';
import { EMBEDDING_MODELS } from './embedding-models.ts';
import { logFailure } from './log-failure.ts';
import { getMemoryConfig } from './memory-config.ts';

/** What a text says, in the way of a model. */
export interface QueryEmbedding {
  model: string;
  vector: Float32Array;
  /** The cosine of two texts that have nothing to do with each other. */
  unrelated: number;
}

/** Somebody waits. */
const TIMEOUT_MS = 2_000;

/**
 * What a query says. Undefined where that is not turned on, and whenever the provider fails: then
 * words alone are compared.
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
