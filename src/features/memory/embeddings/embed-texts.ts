import { z } from 'zod';
import type { KeySettings, Services } from '../../../api/context.ts';
import { NoPermitError } from '../../../platform/limits/keyed-semaphore.ts';
import { namesOf, problemOf } from '../../models/classify-failure.ts';
import { estimatedTokens } from '../../models/estimated-tokens.ts';
import { outboundFetch } from '../../models/outbound-fetch.ts';
import type { Problem } from '../../models/problems.ts';
import { readProviderKey } from '../../models/provider-keys.ts';
import { clientOptions } from '../../models/text-model.ts';
import { READ_LENGTH } from '../text/words.ts';
import { DIMENSIONS, EMBEDDING_MODELS } from './embedding-models.ts';
import type { EmbeddingProvider } from './schema.ts';
import { unitVector } from './vectors.ts';

export type EmbedContext = Pick<
  Services,
  | 'config'
  | 'db'
  | 'secrets'
  | 'log'
  | 'gateways'
  | 'modelCalls'
  | 'metrics'
  | 'tracing'
  | 'clock'
  | 'quotas'
> & {
  key: Pick<KeySettings, 'workspaceId' | 'quotas'>;
  tenantId: string;
  signal?: AbortSignal | undefined;
};

interface Asked {
  provider: EmbeddingProvider;
  texts: string[];
  timeoutMs: number;
}

/** Why there are no vectors. `errors` may be logged, since it has no text of the provider. */
export interface EmbeddingFailure {
  problem: Problem;
  errors: string[];
}

/** Returns unit vectors in the order of the texts, or the reason why the provider gave none. */
export async function embedTexts(
  ctx: EmbedContext,
  asked: Asked,
): Promise<Float32Array[] | EmbeddingFailure> {
  const stored = await readProviderKey(ctx, ctx.db, asked.provider);
  if (stored?.key === undefined) {
    return { problem: stored ? 'key_unreadable' : 'no_key', errors: [] };
  }
  const quotas = ctx.quotas.of(ctx.tenantId, ctx.key.quotas);
  if (await quotas?.areModelTokensUsedUp()) return { problem: 'used_up', errors: [] };
  const startedAt = performance.now();
  const deadline = AbortSignal.timeout(asked.timeoutMs);
  let problem: Problem | undefined;
  try {
    return await askInTurn(ctx, asked, stored.key, deadline);
  } catch (error) {
    problem = deadline.aborted ? 'timeout' : reasonOf(error);
    return { problem, errors: namesOf(error) };
  } finally {
    const labels = {
      provider: asked.provider,
      family: 'embeddings',
      outcome: problem ?? 'success',
    };
    const durationMs = performance.now() - startedAt;
    ctx.metrics.aiSeconds.observe(labels, durationMs / 1000);
    const attributes = { provider: asked.provider, family: labels.family };
    ctx.tracing.note({ name: 'model call', kind: 'client', attributes }, durationMs, problem);
  }
}

const reasonOf = (error: unknown): Problem =>
  error instanceof NoPermitError ? 'busy' : problemOf(error);

/** Calls the provider within the workspace's limit of concurrent model calls. */
async function askInTurn(
  ctx: EmbedContext,
  { provider, texts, timeoutMs }: Asked,
  apiKey: string,
  deadline: AbortSignal,
): Promise<Float32Array[]> {
  const ends = [deadline, ctx.modelCalls.stopped, ...(ctx.signal ? [ctx.signal] : [])];
  const signal = AbortSignal.any(ends);
  const release = await ctx.modelCalls.acquire(ctx.key.workspaceId, signal);
  try {
    const model = EMBEDDING_MODELS[provider];
    const fetch = outboundFetch(ctx.gateways);
    const access = { baseURL: model.baseUrl(ctx.config), apiKey, timeoutMs, fetch };
    // The library is large, and many servers never need it.
    const { OpenAI } = await import('openai');
    const client = new OpenAI({ ...clientOptions(access), organization: null, project: null });
    const answer = await client.embeddings.create(
      {
        model: model.name,
        input: texts.map(readPart),
        dimensions: DIMENSIONS,
        encoding_format: 'float',
      },
      { signal },
    );
    const { prompt_tokens: tokens = estimatedTokens(texts.join('').length) } = answer.usage ?? {};
    await ctx.quotas.of(ctx.tenantId, ctx.key.quotas)?.spendModelTokens(tokens);
    return vectorsIn(answer, texts.length);
  } finally {
    release();
  }
}

/** The part of a text that is read for its words is embedded, too. */
const readPart = (text: string): string => text.trim().slice(0, READ_LENGTH).toWellFormed();

const embedding = z
  .array(z.number())
  .length(DIMENSIONS)
  .transform((numbers, check) => {
    const vector = unitVector(numbers);
    if (vector) return vector;
    check.addIssue({ code: 'custom', message: 'has no direction' });
    return z.NEVER;
  });

/** @throws ZodError when the answer is not one vector for each text. */
function vectorsIn(answer: unknown, count: number): Float32Array[] {
  const { data } = z
    .object({ data: z.array(z.object({ index: z.number().int(), embedding })).length(count) })
    .parse(answer);
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
  return z
    .array(z.instanceof(Float32Array))
    .parse(Array.from({ length: count }, (_, index) => byIndex.get(index)));
}
