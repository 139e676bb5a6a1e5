import { countStatements } from '../../platform/database/statements.ts';
import { AppError } from '../../platform/errors.ts';
import type { LoggedRequest } from '../../platform/metrics/request-log.ts';
import type { RequestContext } from '../context.ts';
import { toAppError, toTrpcError } from '../responses/failures.ts';
import { logFailure } from '../responses/log-failure.ts';

type CallResult = { ok: true } | { ok: false; error: unknown };

/**
 * Runs a call, then logs and measures it. Only tRPC middleware uses this.
 *
 * @throws the failure of the call, with its tRPC code
 */
export async function logCall<Result extends CallResult>(
  ctx: RequestContext,
  operation: string,
  call: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  const count = { statements: 0 };
  const result = await countStatements(count, call);
  const durationMs = performance.now() - startedAt;
  const failure = result.ok ? undefined : asClientAbort(ctx, toAppError(result.error));
  const status = failure?.http ?? 200;
  ctx.metrics.requestSeconds.observe({ operation, status }, durationMs / 1000);
  keepRequest(ctx, { operation, status, durationMs, ...count });
  const roundedMs = Math.round(durationMs * 10) / 10;
  const facts = { ...ctx.caller, operation, status, durationMs: roundedMs };
  if (!failure) {
    ctx.log.info(facts, 'request');
    return result;
  }
  ctx.metrics.operationFailures.inc({ failure: failure.status });
  logFailure(ctx.log, failure, facts);
  throw toTrpcError(failure);
}

/** Returns ABORTED in place of INTERNAL if the client disconnected, since such a failure is no defect. */
const asClientAbort = ({ signal }: RequestContext, failure: AppError): AppError =>
  signal?.aborted && failure.status === 'INTERNAL'
    ? new AppError('ABORTED', 'The client disconnected.', { http: 499, cause: failure.cause })
    : failure;

type Logged = Pick<LoggedRequest, 'operation' | 'status' | 'durationMs' | 'statements'>;

/**
 * Keeps a call for the console's list of requests. Calls by the console itself are left out, since
 * they would hide the others.
 */
function keepRequest(
  { metrics, clock, caller, requestId, signedIn }: RequestContext,
  call: Logged,
): void {
  if (signedIn) return;
  const { apiKey = null } = caller;
  metrics.requestLog.add({ at: clock.now(), requestId, apiKey, ...call });
}
