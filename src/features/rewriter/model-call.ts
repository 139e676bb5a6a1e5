import type { RequestContext } from '../../api/context.ts';
import type { Problem } from '../models/problems.ts';
import type { AnswerChunk, Question } from '../models/text-model.ts';
import type { Usage } from './record-usage.ts';

/** The average in English text. */
const CHARACTERS_PER_TOKEN = 4;

/** After these problems, the provider may have used tokens without reporting them. */
const INTERRUPTIONS: ReadonlySet<Problem> = new Set([
  'caller_left',
  'timeout',
  'stopping',
  'broken_off',
]);

/**
 * Returns a signal that cancels a call to a provider: when `abort` is called, the caller disconnects, time
 * runs out, or the process stops. `problem` returns the reason; undefined if only `abort` was called.
 */
export function createCancellation({
  config,
  modelLimits,
  signal: callerLeft,
}: Pick<RequestContext, 'config' | 'modelLimits' | 'signal'>) {
  const controller = new AbortController();
  const deadline = AbortSignal.timeout(config.aiTimeoutMs);
  const { stopped } = modelLimits.calls;
  return {
    signal: AbortSignal.any([
      controller.signal,
      deadline,
      stopped,
      ...(callerLeft ? [callerLeft] : []),
    ]),
    abort: () => controller.abort(),
    problem(): Problem | undefined {
      if (callerLeft?.aborted) return 'caller_left';
      if (deadline.aborted) return 'timeout';
      return stopped.aborted ? 'stopping' : undefined;
    },
  };
}

/** Collects the chunks of an answer as they arrive, and reports the problem, tokens and usage of the call. */
export class CallProgress {
  readonly #startedAt = performance.now();
  readonly #reported: AnswerChunk = {};
  #isBlank = true;
  #characters = 0;

  add({ text, finish, ...counts }: AnswerChunk): void {
    Object.assign(this.#reported, counts, finish && { finish });
    this.#characters += (text ?? '').length;
    this.#isBlank &&= (text ?? '').trim() === '';
  }

  problem(): Problem | undefined {
    const { finish } = this.#reported;
    if (finish === undefined) return 'broken_off';
    if (finish !== 'complete') return finish;
    return this.#isBlank ? 'empty' : undefined;
  }

  /**
   * Returns the tokens of the call as the provider counted them. Where the provider reported none, they are
   * estimated, except for a call that the provider refused: it costs no tokens.
   */
  tokens({ system = '', user }: Question, problem: Problem | undefined): number {
    const { inputTokens, outputTokens } = this.#reported;
    const isPaidFor = this.#characters > 0 || problem === undefined || INTERRUPTIONS.has(problem);
    const estimated = (characters: number) =>
      isPaidFor ? Math.ceil(characters / CHARACTERS_PER_TOKEN) : 0;
    return (
      (inputTokens ?? estimated(system.length + user.length)) +
      (outputTokens ?? estimated(this.#characters))
    );
  }

  usage(): Usage {
    const { inputTokens = null, outputTokens = null } = this.#reported;
    return {
      inputTokens,
      outputTokens,
      durationMs: Math.round(performance.now() - this.#startedAt),
    };
  }
}
