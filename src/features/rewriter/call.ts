import type { RequestContext } from '../../api/context.ts';
import type { Problem } from '../models/problems.ts';
import type { Piece } from '../models/text-model.ts';
import type { Usage } from './record-usage.ts';

type Context = Pick<RequestContext, 'config' | 'modelCalls' | 'signal'>;

/** What ends a call before its time. */
export class CallEnd {
  readonly signal: AbortSignal;
  readonly #own = new AbortController();
  readonly #deadline: AbortSignal;
  readonly #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#deadline = AbortSignal.timeout(ctx.config.aiTimeoutMs);
    const { signal, modelCalls } = ctx;
    const all = [this.#own.signal, this.#deadline, modelCalls.stopped, ...(signal ? [signal] : [])];
    this.signal = AbortSignal.any(all);
  }

  reason(): Problem | undefined {
    if (this.#ctx.signal?.aborted) return 'left';
    if (this.#deadline.aborted) return 'timeout';
    return this.#ctx.modelCalls.stopped.aborted ? 'stopping' : undefined;
  }

  now(): void {
    this.#own.abort();
  }
}

/** What has come of an answer so far. */
export class CallProgress {
  readonly #startedAt = performance.now();
  readonly #seen: Piece = {};
  #isBlank = true;

  take({ text, finish, ...counts }: Piece): void {
    Object.assign(this.#seen, counts, finish && { finish });
    this.#isBlank &&= (text ?? '').trim() === '';
  }

  problem(): Problem | undefined {
    const { finish } = this.#seen;
    if (finish === undefined) return 'broken_off';
    if (finish !== 'complete') return finish;
    return this.#isBlank ? 'empty' : undefined;
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
