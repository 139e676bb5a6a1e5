import type { KeyContext } from '../../api/context.ts';
import { AppError } from '../../platform/errors.ts';
import { NoPermitError } from '../../platform/limits/keyed-semaphore.ts';
import { loggableNamesOf, problemOf } from '../models/classify-failure.ts';
import { connectModel } from '../models/connect-model.ts';
import { type ChosenModel, knownModel } from '../models/models.ts';
import { type Problem, problemMessage } from '../models/problems.ts';
import { readProviderKeys } from '../models/provider-keys.ts';
import type { Question } from '../models/text-model.ts';
import { KeyGuard } from './key-guard.ts';
import { CallProgress, createCancellation } from './model-call.ts';
import { recordUsage, spendTokens, type Usage } from './record-usage.ts';
import type { AskAiAnswer, AskAiInput, AskAiItem } from './schema.ts';

/**
 * Asks the model that the input names, within the workspace's limit of concurrent calls. Yields the
 * answer, in chunks or as a whole, and then an item that says how it ended. When the caller disconnects or stops
 * reading, the call to the provider is cancelled.
 *
 * @throws RESOURCE_EXHAUSTED when today's tokens of the key are used up
 * @throws ABORTED when the caller has disconnected, so that nobody reads the answer
 */
export async function* askModel(
  ctx: KeyContext,
  input: AskAiInput,
  { stream }: { stream: boolean },
): AsyncGenerator<AskAiItem> {
  const chosen = knownModel(input.model);
  /** Returns the item for a problem. If the caller has left, it throws instead. */
  const errorItem = (problem: Problem): AskAiItem => {
    if (problem === 'caller_left')
      throw new AppError('ABORTED', 'The caller disconnected.', { http: 499 });
    return { type: 'error', error: problemMessage(problem, chosen.provider) };
  };
  let release: () => void;
  try {
    release = await ctx.modelLimits.calls.acquire(ctx.key.workspaceId, ctx.signal);
  } catch (error) {
    return yield errorItem(problemOfWaiting(error));
  }
  try {
    await ctx.quotas.of(ctx.tenantId, ctx.key.quotas)?.requireModelTokens();
    const [storedKey] = await readProviderKeys(ctx, ctx.db, chosen.provider);
    if (!storedKey) return yield errorItem('no_key');
    if (storedKey.key === undefined) return yield errorItem('key_unreadable');
    const question = questionOf(chosen, input);
    const result = yield* callModel(ctx, { chosen, key: storedKey.key, question, stream });
    yield typeof result === 'string' ? errorItem(result) : { type: 'done', ...result };
  } finally {
    release();
  }
}

function problemOfWaiting(error: unknown): Problem {
  if (!(error instanceof NoPermitError)) return 'caller_left';
  return error.refusal === 'stopping' ? 'stopping' : 'busy';
}

/** Some models expect the prompt in the user message (specification 4.9). */
const questionOf = (chosen: ChosenModel, { prompt, text }: AskAiInput): Question => ({
  model: chosen.name,
  system: chosen.promptBeforeText ? undefined : prompt,
  user: chosen.promptBeforeText ? `${prompt}\n\n${text}` : text,
});

interface ModelCall {
  chosen: ChosenModel;
  /** The workspace's key of the provider. */
  key: string;
  question: Question;
  stream: boolean;
}

/** Makes one call to a provider, yields the answer, and records the call. Returns the call's usage, or its problem. */
async function* callModel(
  ctx: KeyContext,
  { chosen, key, question, stream }: ModelCall,
): AsyncGenerator<AskAiItem, Usage | Problem> {
  const cancellation = createCancellation(ctx);
  const progress = new CallProgress();
  // If the consumer stops reading, this generator ends at a `yield` below, and this problem is recorded.
  let problem: Problem | undefined = 'caller_left';
  let usage: Usage;
  try {
    const ask = await connectModel(ctx, { provider: chosen.provider, apiKey: key, stream });
    const chunks = ask(question, { stream, signal: cancellation.signal });
    const guard = new KeyGuard(key);
    for await (const chunk of chunks) {
      progress.add(chunk);
      yield* textItem(guard.pass(chunk.text ?? ''));
    }
    // The libraries end a cancelled stream as if it were complete, so cancellation is checked here.
    cancellation.signal.throwIfAborted();
    yield* textItem(guard.rest());
    problem = progress.problem();
  } catch (error) {
    problem = cancellation.problem() ?? problemOf(error);
    if (problem !== 'caller_left') {
      const { provider } = chosen;
      const facts = { ...ctx.caller, provider, problem, errors: loggableNamesOf(error) };
      ctx.log.warn(facts, 'A call to a model provider failed.');
    }
  } finally {
    cancellation.abort();
    usage = progress.usage();
    await recordUsage(ctx, chosen, usage, problem);
    await spendTokens(ctx, progress.tokens(question, problem));
  }
  return problem ?? usage;
}

function* textItem(text: string): Generator<AskAiItem> {
  if (text !== '') yield { type: 'text', text };
}

/** Returns the whole answer of a model (specification 4.9). An incomplete answer is a failure. */
export async function askAi(ctx: KeyContext, input: AskAiInput): Promise<AskAiAnswer> {
  let text = '';
  for await (const item of askModel(ctx, input, { stream: false })) {
    if (item.type === 'error') return { success: false, error: item.error };
    if (item.type === 'text') text += item.text;
  }
  return { success: true, text };
}
