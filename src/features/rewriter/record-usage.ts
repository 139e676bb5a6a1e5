import type { KeyContext } from '../../api/context.ts';
import type { ChosenModel } from '../models/models.ts';
import type { Problem } from '../models/problems.ts';

/** The usage of one call. Tokens are null if the provider did not report them. */
export interface Usage {
  inputTokens: number | null;
  outputTokens: number | null;
  durationMs: number;
}

/** Counts tokens against the key's quota, if any. A failure is only logged, so that the caller gets the answer. */
export async function spendTokens(ctx: KeyContext, tokens: number): Promise<void> {
  try {
    await ctx.quotas.of(ctx.tenantId, ctx.key.quotas)?.spendModelTokens(tokens);
  } catch (error) {
    ctx.log.error(
      { ...ctx.caller, tokens, err: error },
      'The tokens of a model call could not be counted.',
    );
  }
}

/**
 * Counts a call in the metrics and publishes an event, which contains neither the prompt nor the answer.
 * A failure to write the event is only logged, since the caller has paid for the answer and must get it.
 */
export async function recordUsage(
  ctx: KeyContext,
  { provider, family, name }: ChosenModel,
  usage: Usage,
  problem: Problem | undefined,
): Promise<void> {
  const { aiTokens, aiSeconds } = ctx.metrics;
  aiTokens.inc({ provider, family, direction: 'input' }, usage.inputTokens ?? 0);
  aiTokens.inc({ provider, family, direction: 'output' }, usage.outputTokens ?? 0);
  aiSeconds.observe({ provider, family, outcome: problem ?? 'success' }, usage.durationMs / 1000);
  const attributes = { provider, family };
  ctx.tracing.addSpan(
    { name: 'model call', kind: 'client', attributes },
    usage.durationMs,
    problem,
  );
  const data = { model: name, provider, ...usage, success: problem === undefined };
  const channels = ctx.userId === undefined ? [] : [`user:${ctx.userId}`];
  try {
    await ctx.db.transaction((tx) =>
      ctx.events.append(tx, ctx.tenantId, [{ type: 'rewriter.usage', channels, data }]),
    );
  } catch (error) {
    ctx.log.error(
      { ...ctx.caller, ...data, err: error },
      'The usage of a model call could not be recorded.',
    );
  }
}
