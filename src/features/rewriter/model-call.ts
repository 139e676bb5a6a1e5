import type { RequestContext } from '../../api/context.ts';
import type { Problem } from '../models/problems.ts';
import type { AnswerChunk, Question } from '../models/text-model.ts';
import type { Usage } from './record-usage.ts';

/** The average of English text. */
const CHARACTERS_PER_TOKEN = 4;

/** After these problems the provider may have worked without reporting its usage. */
const CUT_OFF: ReadonlySet<Problem> = new Set(['caller_left', 'timeout', 'stopping', 'broken_off']);

/**
 * Returns a signal that cancels a call to a provider: on `abort`, or when the caller disconnects, the time
 * is over or the process stops. `problem` says which of these last three it was, if any.
 */
export function createCancellation({
  config,
  modelLimits,
  signal: leaving,
}: Pick<RequestContext, 'config' | 'modelLimits' | 'signal'>) {
  const own = new AbortController();
  const deadline = AbortSignal.timeout(config.aiTimeoutMs);
  const { stopped } = modelLimits.calls;
  return {
    signal: AbortSignal.any([own.signal, deadline, stopped, ...(leaving ? [leaving] : [])]),
    abort: () => own.abort(),
    problem(): Problem | undefined {
      if (leaving?.aborted) return 'caller_left';
      if (deadline.aborted) return 'timeout';
      return stopped.aborted ? 'stopping' : undefined;
    },
  };
}

/** The part of an answer that was received so far, with what follows from it. */
export class CallProgress {
  readonly #startedAt = performance.now();
  readonly #seen: AnswerChunk = {};
  #isBlank = true;
  #characters = 0;

  add({ text, finish, ...counts }: AnswerChunk): void {
    Object.assign(this.#seen, counts, finish && { finish });
    this.#characters += (text ?? '').length;
    this.#isBlank &&= (text ?? '').trim() === '';
  }

  problem(): Problem | undefined {
    const { finish } = this.#seen;
    if (finish === undefined) return 'broken_off';
    if (finish !== 'complete') return finish;
    return this.#isBlank ? 'empty' : undefined;
  }

  /**
   * Returns the cost of the call in tokens, as the provider counted. The cost of an interrupted
   * call without a count is estimated. A call that the provider refused costs nothing.
   */
  tokens({ system = '', user }: Question, problem: Problem | undefined): number {
    const { inputTokens, outputTokens } = this.#seen;
    const isPaidFor = this.#characters > 0 || problem === undefined || CUT_OFF.has(problem);
    const estimated = (characters: number) =>
      isPaidFor ? Math.ceil(characters / CHARACTERS_PER_TOKEN) : 0;
    return (
      (inputTokens ?? estimated(system.length + user.length)) +
      (outputTokens ?? estimated(this.#characters))
    );
  }

  usage(): Usage {
    const { inputTokens = null, outputTokens = null } = this.#seen;
    return {
      inputTokens,
      outputTokens,
      durationMs: Math.round(performance.now() - this.#startedAt),
    };
  }
}
