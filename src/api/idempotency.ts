import { setTimeout as delay } from 'node:timers/promises';
import type { TRPCError } from '@trpc/server';
import { middlewareMarker } from '@trpc/server/unstable-core-do-not-import';
import { sql } from '../platform/database/database.ts';
import { AppError, invalidArgument, type Status } from '../platform/errors.ts';
import { type Secrets, sha256 } from '../platform/secrets.ts';
import type { RequestContext } from './context.ts';
import { toAppError } from './failures.ts';

/**
 * `Idempotency-Key` on writes (decisions section 2): for 24 hours the same call gets the first
 * answer again, and a second call while the first runs waits for it.
 */

const HEADER = 'idempotency-key';
const KEPT_MS = 24 * 60 * 60 * 1000;
/** Longer than any operation takes: a call without an answer by then died with its process. */
const LEASE_MS = 120_000;
const POLL_MS = 25;

type CallResult<Data> = { ok: true; data: Data } | { ok: false; error: TRPCError };

interface StoredAnswer {
  data?: unknown;
  failure?: { status: Status; message: string; details?: Record<string, unknown>; http: number };
}

interface Entry {
  caller: string;
  path: string;
  key: string;
}

/** Runs the call, unless the same one was answered already. Only tRPC middleware uses it. */
export async function answerOnce<Result extends CallResult<unknown>>(
  ctx: RequestContext,
  caller: string,
  path: string,
  getRawInput: () => Promise<unknown>,
  call: () => Promise<Result>,
): Promise<Result> {
  const key = ctx.header(HEADER);
  if (key === undefined) return call();
  if (!/^[\x21-\x7e]{1,256}$/.test(key)) {
    throw invalidArgument('Idempotency-Key must be 1 to 256 visible ASCII characters.');
  }
  const entry: Entry = { caller, path, key };
  const requestHash = sha256(textOf(await getRawInput()));
  const earlier = await claimOrAwait(ctx, entry, requestHash);
  return earlier ? (replay(earlier) as unknown as Result) : answer(ctx, entry, call);
}

/** Inputs may be nested deeper than the stack allows to write them out. */
function textOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? '';
  } catch (cause) {
    throw invalidArgument('The request is nested too deep.', { cause });
  }
}

/** @returns the first call's answer, or nothing when this call is the first. */
async function claimOrAwait(
  ctx: RequestContext,
  entry: Entry,
  requestHash: Buffer,
): Promise<StoredAnswer | undefined> {
  while (!(await claim(ctx, entry, requestHash))) {
    const first = await find(ctx, entry);
    if (first && !first.requestHash.equals(requestHash)) {
      throw invalidArgument('This Idempotency-Key was used with another request.');
    }
    if (first?.sealedAnswer) {
      return JSON.parse(ctx.secrets.open(first.sealedAnswer, placeOf(entry)));
    }
    await delay(POLL_MS, undefined, { signal: ctx.signal });
  }
  return undefined;
}

async function claim(ctx: RequestContext, { caller, path, key }: Entry, requestHash: Buffer) {
  const now = ctx.clock.now();
  const claimed = await ctx.db.query(sql`
    INSERT INTO idempotency_keys AS k
      (tenant_id, path, key, request_hash, lease_until, expires_at)
    VALUES (${caller}, ${path}, ${key}, ${requestHash}, ${new Date(now + LEASE_MS)}, ${new Date(now + KEPT_MS)})
    ON CONFLICT (tenant_id, path, key) DO UPDATE
      SET request_hash = excluded.request_hash, sealed_answer = NULL,
          lease_until = excluded.lease_until, expires_at = excluded.expires_at
      WHERE k.expires_at <= ${new Date(now)}
         OR (k.sealed_answer IS NULL AND k.lease_until <= ${new Date(now)}
             AND k.request_hash = excluded.request_hash)
    RETURNING 1`);
  return claimed.length > 0;
}

async function find(ctx: RequestContext, { caller, path, key }: Entry) {
  const [row] = await ctx.db.query<{ requestHash: Buffer; sealedAnswer: string | null }>(sql`
    SELECT request_hash AS "requestHash", sealed_answer AS "sealedAnswer" FROM idempotency_keys
    WHERE tenant_id = ${caller} AND path = ${path} AND key = ${key}`);
  return row;
}

async function answer<Result extends CallResult<unknown>>(
  ctx: RequestContext,
  entry: Entry,
  call: () => Promise<Result>,
): Promise<Result> {
  const result = await call();
  const failure = result.ok ? undefined : toAppError(result.error);
  // Failures that are not the caller's may be gone the next time, so they are not kept.
  if (failure && (failure.http >= 429 || failure.http < 400)) await forget(ctx, entry);
  else await keep(ctx, entry, failure ? { failure: pick(failure) } : { data: dataOf(result) });
  return result;
}

const dataOf = (result: CallResult<unknown>) => (result.ok ? result.data : undefined);

const pick = ({ status, message, details, http }: AppError): StoredAnswer['failure'] => ({
  status,
  message,
  http,
  ...(details ? { details } : {}),
});

/** Answers may hold tokens, so they are sealed like every secret at rest. */
async function keep(ctx: RequestContext, entry: Entry, stored: StoredAnswer): Promise<void> {
  const sealed = ctx.secrets.seal(JSON.stringify(stored), placeOf(entry));
  await ctx.db.query(sql`
    UPDATE idempotency_keys SET sealed_answer = ${sealed}
    WHERE tenant_id = ${entry.caller} AND path = ${entry.path} AND key = ${entry.key}`);
}

async function forget(ctx: RequestContext, entry: Entry): Promise<void> {
  await ctx.db.query(sql`
    DELETE FROM idempotency_keys
    WHERE tenant_id = ${entry.caller} AND path = ${entry.path} AND key = ${entry.key}`);
}

/** The text of an answer that is kept; nothing while the call runs, or when no key opens it. */
export function answerIn(
  secrets: Secrets,
  { sealedAnswer, ...entry }: Entry & { sealedAnswer: string | null },
): string | undefined {
  try {
    return sealedAnswer === null ? undefined : secrets.open(sealedAnswer, placeOf(entry));
  } catch {
    return undefined;
  }
}

const placeOf = ({ caller, path, key }: Entry) => `idempotency_keys/${caller}/${path}/${key}`;

function replay({ data, failure }: StoredAnswer) {
  if (!failure) return { ok: true, data, marker: middlewareMarker };
  const { status, message, ...options } = failure;
  throw new AppError(status, message, options);
}
