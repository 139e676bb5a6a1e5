import type { RequestContext } from '../../api/context.ts';
import type { Problem } from '../models/problems.ts';
import type { AnswerChunk, Question } from '../models/text-model.ts';
import type { Usage } from './record-usage.ts';

/** After these problems the provider may have worked without reporting its usage. */
const CUT_OFF: ReadonlySet<Problem> = new Set(['left', 'timeout', 'stopping', 'broken_off']);

type Context = Pick<RequestContext, 'config' | 'modelLimits' | 'signal'>;

/** The reasons that end a call early. */
export class CallEnd {
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  readonly #deadline: AbortSignal;
  readonly #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#deadline = AbortSignal.timeout(ctx.config.aiTimeoutMs);
    const { signal } = ctx;
    const all = [
      this.#own.signal,
      this.#deadline,
      ctx.modelLimits.calls.stopped,
      ...(signal ? [signal] : []),
    ];
    this.signal = AbortSignal.any(all);
  }

  reason(): Problem | undefined {
    if (this.#ctx.signal?.aborted) return 'left';
    if (this.#deadline.aborted) return 'timeout';
    return this.#ctx.modelLimits.calls.stopped.aborted ? 'stopping' : undefined;
  }

  now(): void {
    this.#own.abort();
  }
}

/** The received part of an answer. */
export class CallProgress {
  readonly #startedAt = performance.now();
  readonly #seen: AnswerChunk = {};
  #isBlank = true;
  #characters = 0;

  take({ text, finish, ...counts }: AnswerChunk): void {
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
   * Returns the cost of the call in tokens, as the provider counted. An interrupted call without a
   * count is estimated; a refused call costs nothing.
   */
  tokens({ system = '', user }: Question, problem: Problem | undefined): number {
    const { inputTokens, outputTokens } = this.#seen;
    const isPaidFor = this.#characters > 0 || problem === undefined || CUT_OFF.has(problem);
    const estimated = (characters: number) => (isPaidFor ? estimatedTokens(characters) : 0);
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

/** An average for English text. */
const CHARACTERS_PER_TOKEN = 4;

/** Estimates the tokens of a text for which the provider gave no count. */
const estimatedTokens = (characters: number): number =>
  Math.ceil(characters / CHARACTERS_PER_TOKEN);
