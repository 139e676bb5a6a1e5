import { initTRPC } from '@trpc/server';
import type { Database } from '../platform/database/database.ts';
import { AppError } from '../platform/errors.ts';
import { yieldIfLarge } from './body/json-body.ts';
import type { RequestContext } from './context.ts';
import { limitKeyOf, requirePerson, requireRole } from './credentials/signed-in.ts';
import { contentBytes, withQuotaHeaders } from './middleware/apply-quotas.ts';
import {
  authenticateAdmin,
  authenticateKey,
  authenticateWorkspace,
  type KeyCredentials,
} from './middleware/authenticate.ts';
import { callerOf } from './middleware/connect-stream.ts';
import { guardStream, type StreamOutcome } from './middleware/guard-stream.ts';
import { limitCall, type WithPermit } from './middleware/limit-call.ts';
import { logCall } from './middleware/log-call.ts';
import { runOnce } from './middleware/respond-once.ts';
import type { AuthLevel, OperationMeta, SubscriptionMeta } from './operation-meta.ts';
import { declaredOutput } from './responses/declared-output.ts';
import { publicFailure } from './responses/envelope.ts';
import type { FailureData } from './responses/failure-schema.ts';
import { toAppError } from './responses/failures.ts';
import { logFailure } from './responses/log-failure.ts';
import { isLong, serializeLong } from './responses/long-responses.ts';
import { transformer } from './transformer.ts';
import { joinMiddlewares, replaceOutput } from './trpc-internals.ts';

/**
 * Operations are tRPC procedures with Zod input and output, whose meta describes the REST side.
 *
 *     add: apiKeyOperation({ path: '/v2/organizations/folders/add', … })
 *       .input(AddFolders)
 *       .output(outcomes)
 *       .mutation(({ ctx, input }) => addFolders(ctx, input)),
 *
 * Typed clients send the content of `data` and receive the content of `result.data`.
 */

/** The metadata that an operation declares. The rest has defaults. */
type OperationFacts = Pick<OperationMeta, 'path' | 'summary' | 'message' | 'example'> &
  Partial<Omit<OperationMeta, 'level'>>;

const t = initTRPC
  .context<RequestContext>()
  .meta<OperationMeta | SubscriptionMeta>()
  .create({
    transformer,
    // Pings keep proxies from closing an idle connection after a minute, and let clients notice
    // within 30 seconds that the server is gone.
    sse: {
      ping: { enabled: true, intervalMs: 10_000 },
      client: { reconnectAfterInactivityMs: 30_000 },
    },
    errorFormatter({ shape, error, ctx }) {
      const { path } = shape.data;
      const { status, message, details, code } = publicFailure(
        toAppError(error),
        ctx?.requestId ?? '',
        path,
      );
      const data: FailureData = { code: shape.data.code, path, status, httpStatus: code, details };
      return { ...shape, message, data };
    },
  });

/** Creates a router with joined middlewares, which makes a short request a tenth faster. */
export const router = ((procedures) => joinMiddlewares(t.router(procedures))) as typeof t.router;

export const { mergeRouters } = t;

const operationMeta = (level: AuthLevel, facts: OperationFacts): OperationMeta => ({
  envelope: 'data',
  pageTokenField: 'nextPageToken',
  userToken: false,
  countsInFlight: true,
  sharesCommit: false,
  fromReplica: false,
  addsContent: false,
  changesCredentials: false,
  givesSecrets: false,
  errors: [],
  ...facts,
  level,
});

/**
 * Logs, measures and traces every call, sets the tRPC code of each failure, and forgets credentials that the call
 * may have changed.
 */
const observeCall = t.middleware(({ ctx, path, meta, next }) => {
  const traceparent = ctx.header('traceparent');
  const call = async () => {
    const result = await next();
    if (meta && 'changesCredentials' in meta && meta.changesCredentials) {
      ctx.gate.credentials.forget(ctx.caller.apiKey ?? ctx.caller.workspaceId);
    }
    return result;
  };
  return ctx.tracing.trace({ name: path, kind: 'server', traceparent }, async () =>
    serializeInParts(ctx, await logCall(ctx, path, call)),
  );
});

/** Serializes a long response in parts. tRPC would do it in one go, and hold up other requests. */
async function serializeInParts<Result extends object>(
  { serializedOutputs }: RequestContext,
  result: Result,
): Promise<Result> {
  const { data } = result as { data?: unknown };
  if (!serializedOutputs || !isLong(data)) return result;
  return { ...result, data: serializedOutputs.add(await serializeLong(data)) };
}

/** Refuses calls that the console role of the signed-in person does not allow. */
const checkRole = t.middleware(({ ctx, type, meta, next }) => {
  // Operations that only the console or agents call have no meta. They are at the level of API keys, and
  // return no secrets.
  const level = meta?.level ?? 'apiKey';
  requireRole(ctx, { type, level, givesSecrets: meta !== undefined && givesSecrets(meta) });
  return next();
});

const givesSecrets = (meta: OperationMeta | SubscriptionMeta): boolean =>
  'givesSecrets' in meta && meta.givesSecrets;

/** Records what people do in the console, including refused calls. */
const recordActions = t.middleware(async ({ ctx, path, type, meta, getRawInput, next }) => {
  const isAudited = type === 'mutation' || (meta !== undefined && givesSecrets(meta));
  const { signedIn, requestId } = ctx;
  if (!signedIn?.record || !isAudited) return next();
  const recordStatus = await signedIn.record({
    operation: path,
    requestId,
    input: await getRawInput(),
  });
  const result = await next();
  await recordStatus(result.ok ? 200 : toAppError(result.error).http);
  return result;
});

const operation = t.procedure.use(observeCall).use(recordActions).use(checkRole);

/**
 * Checks field names after the credentials, so that unauthenticated callers learn nothing about
 * fields.
 */
const checkSpelling = t.middleware(async ({ ctx, path, getRawInput, next }) => {
  const input = await getRawInput();
  await yieldIfLarge(ctx);
  ctx.gate.spelling.check(path, input);
  await yieldIfLarge(ctx);
  return next();
});

/** Keeps the schema of a procedure's output for the documentation, and sends responses without validating them. */
const withDeclaredOutput = <Builder extends object>(builder: Builder): Builder =>
  replaceOutput(builder, declaredOutput);

/** Operations of the administrator, with the header `x-svc-admin-token`. */
export const adminOperation = (facts: OperationFacts) =>
  withDeclaredOutput(
    operation
      .meta(operationMeta('admin', facts))
      .use(({ ctx, next }) => {
        authenticateAdmin(ctx);
        return next();
      })
      .use(checkSpelling),
  );

/** Operations of a workspace (specification part 5, workspace level). */
export const workspaceOperation = (facts: OperationFacts) =>
  withDeclaredOutput(
    operation
      .meta(operationMeta('workspace', facts))
      .use(async ({ ctx, type, path, getRawInput, next }) => {
        const workspaceId = await authenticateWorkspace(ctx);
        ctx.caller.workspaceId = workspaceId;
        const limitKey = limitKeyOf(ctx, workspaceId);
        const { db, withPermit } = await limitCall(ctx, limitKey, { type, getRawInput });
        const run = (database: Database) => next({ ctx: { workspaceId, db: database } });
        if (type !== 'mutation') return withPermit(() => run(db));
        return runOnce({ ...ctx, db, withPermit }, workspaceId, path, getRawInput, run);
      })
      .use(checkSpelling),
  );

/** Runs a call with the credentials of an API key, within the limits of its caller. */
const withApiKey = (facts: Partial<OperationFacts>) =>
  t.middleware(async ({ ctx, type, path, getRawInput, next }) => {
    const credentials = await authenticateKey(ctx, Boolean(facts.userToken));
    const { tenantId, userId } = credentials;
    ctx.caller.apiKey = tenantId;
    return withQuotaHeaders(ctx, credentials, async (quotas) => {
      const limitKey = limitKeyOf(ctx, tenantId);
      await ctx.gate.rateLimiter.consume(limitKey);
      const { sharesCommit, fromReplica, countsInFlight = true, addsContent = false } = facts;
      const callFacts = { type, getRawInput, sharesCommit, fromReplica, userId };
      const { db, withPermit: waitForPermit } = await limitCall(ctx, limitKey, callFacts);
      const withPermit: WithPermit = countsInFlight ? waitForPermit : (call) => call();
      const run = (database: Database) => next({ ctx: { ...credentials, db: database } });
      if (type !== 'mutation') return withPermit(() => run(db));
      const runWithinQuotas = async (database: Database) => {
        if (!quotas) return run(database);
        const addedBytes = addsContent ? contentBytes(await getRawInput()) : undefined;
        return quotas.runChange(addedBytes, () => run(database));
      };
      const owner = responseOwner(ctx, credentials);
      return runOnce({ ...ctx, db, withPermit }, owner, path, getRawInput, runWithinQuotas);
    });
  });

/**
 * Returns the owner of a call's stored response. Only calls with the same owner receive it: those of the same
 * API key, of the same user and agent if there is a user token, and in the console of the same person.
 */
function responseOwner({ signedIn }: RequestContext, { tenantId, userId, agent }: KeyCredentials) {
  const actor = agent?.agentId ?? (signedIn && limitKeyOf({ signedIn }, tenantId));
  return JSON.stringify([tenantId, userId, ...(actor === undefined ? [] : [actor])]);
}

/** Operations of an API key or of one of its users (specification part 5, API key level). */
export const apiKeyOperation = (facts: OperationFacts) =>
  withDeclaredOutput(
    operation.meta(operationMeta('apiKey', facts)).use(withApiKey(facts)).use(checkSpelling),
  );

/** Operations that only agents call, on behalf of the user of their token. */
export const userTokenOperation = operation.use(withApiKey({ userToken: true }));

/** Operations that only the console calls, about the API key that the person chose. */
export const consoleKeyOperation = operation.use(withApiKey({}));

/**
 * Operations that only the console calls, about more than one API key. They must check
 * `ctx.signedIn.bounds` themselves.
 */
export const consoleOperation = operation.use(async ({ ctx, type, getRawInput, next }) => {
  const signedIn = requirePerson(ctx);
  const limitKey = limitKeyOf(ctx, signedIn.name);
  await ctx.gate.rateLimiter.consume(limitKey);
  const { db, withPermit } = await limitCall(ctx, limitKey, { type, getRawInput });
  return withPermit(() => next({ ctx: { signedIn, db } }));
});

type SubscriptionFacts = Pick<SubscriptionMeta, 'summary' | 'description' | 'item'>;

/**
 * Subscriptions of an API key or of one of its users, over server-sent events.
 *
 *     changes: subscriptionOperation({ summary, description, item: commentChange })
 *       .input(CommentChanges)
 *       .subscription(({ ctx, input }) => followComments(ctx, input)),
 *
 * A subscription ends when its client disconnects, when its credentials expire or are revoked, or when
 * the process stops. Whatever it awaits should end when `ctx.ending` aborts. Only typed clients can call it.
 */
export const subscriptionOperation = (facts: SubscriptionFacts) =>
  operation
    .meta({ ...facts, level: 'apiKey', userToken: true })
    .use(async ({ ctx, type, path, signal, getRawInput, next }) => {
      if (ctx.signedIn) throw notForTheConsole();
      const credentials = await authenticateKey(ctx, true);
      const { tenantId } = credentials;
      ctx.caller.apiKey = tenantId;
      await withQuotaHeaders(ctx, credentials, () => ctx.gate.rateLimiter.consume(tenantId));
      const { db } = await limitCall(ctx, tenantId, { type, getRawInput });
      // `closed`: the items have ended, or the client disconnected. `terminated`: the credentials have
      // expired or were revoked, or the process stops.
      const finished = new AbortController();
      const closed = AbortSignal.any([finished.signal, signal ?? finished.signal]);
      const caller = callerOf(ctx, credentials);
      const terminated = ctx.gate.streams.open(caller, closed, () => ctx.disconnect?.());
      const ending = AbortSignal.any([closed, terminated]);
      const result = await next({ ctx: { ...credentials, db, ending } });
      if (!result.ok) {
        finished.abort();
        return result;
      }
      const onEnd = (outcome: StreamOutcome) => {
        finished.abort();
        logEnd(ctx, path, outcome);
      };
      const preciseFailure = (failure: AppError) =>
        ctx.gate.streams.preciseFailure(caller, failure);
      const items = result.data as AsyncIterable<unknown>;
      return { ...result, data: guardStream(items, ending, { preciseFailure, onEnd }) };
    })
    .use(checkSpelling);

/** Subscriptions are refused to the console, since they would outlast the person's session. */
const notForTheConsole = () =>
  new AppError('FAILED_PRECONDITION', 'The console has no subscriptions.');

/** Logs the end of a subscription; its start is logged like any operation. */
function logEnd(ctx: RequestContext, path: string, { failure, items }: StreamOutcome): void {
  const facts = { ...ctx.caller, operation: path, items };
  if (failure) logFailure(ctx.log, failure, facts);
  else ctx.log.info(facts, 'The subscription ended.');
}
