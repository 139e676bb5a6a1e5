import { Readable } from 'node:stream';
import type { AnyProcedure, AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { resembles } from '../api/body/spelling.ts';
import type { RequestContext } from '../api/context.ts';
import type { OperationMeta } from '../api/operation-meta.ts';
import { compressStream, compressText, wantsGzip } from '../api/responses/compress-responses.ts';
import { failureEnvelope, failureHeaders, successEnvelope } from '../api/responses/envelope.ts';
import { toAppError } from '../api/responses/failures.ts';
import { isLong, serializeLong } from '../api/responses/long-responses.ts';
import { callProcedure, definitionOf, proceduresOf } from '../api/trpc-internals.ts';
import { invalidArgument } from '../platform/errors.ts';
import { isObject } from '../platform/json.ts';
import { type Page, sendNdjson } from './responses/send-ndjson.ts';
import type { UnreadResponses } from './responses/unread-responses.ts';

/** An operation for the REST bridge. `name` is its dotted tRPC path, e.g. `users.add`. */
export interface Operation {
  name: string;
  meta: OperationMeta;
  procedure: AnyProcedure;
}

/** Returns every operation of the router with a REST path. Subscriptions have none. */
export function operationsOf(router: AnyRouter): Operation[] {
  return proceduresOf(router).flatMap(([name, procedure]) => {
    const { type, meta } = definitionOf(procedure);
    if (type === 'subscription' || !meta) return [];
    return [{ name, meta: meta as OperationMeta, procedure }];
  });
}

/**
 * Returns the paths of an operation. Those of `/v1` are also served under `/v2`, where callers who
 * moved from the hosted service may expect them.
 */
export const pathsOf = ({ path }: OperationMeta): string[] =>
  path.startsWith('/v1/') ? [path, path.replace('/v1/', '/v2/')] : [path];

interface RestDependencies {
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext;
  /** Counts the long responses that clients have not read yet, to limit the memory for them. */
  unread: UnreadResponses;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Serves each operation at its exact POST path: unwraps `data`, calls the same procedure as typed
 * clients, and wraps its result.
 */
export function registerRest(
  app: FastifyInstance,
  router: AnyRouter,
  { createContext, unread }: RestDependencies,
): void {
  for (const operation of operationsOf(router)) {
    const serve = async (request: FastifyRequest, reply: FastifyReply) => {
      const ctx = createContext(request, reply);
      const trackUnread = (texts: string[]) => unread.track(reply.raw, ctx.caller.apiKey, texts);
      try {
        const { body } = request;
        if (operation.meta.envelope === 'ndjson') {
          const read = (pageToken?: string) => readPage(operation, ctx, body, pageToken);
          return await sendNdjson(reply, read, trackUnread, ctx.signal);
        }
        const output = await call(operation, ctx, () => requireData(operation, body));
        const envelope = successEnvelope(operation.meta, output);
        if (isLong(output)) {
          const chunks = await serializeLong(envelope);
          trackUnread(chunks);
          return sendChunks(request, reply, chunks);
        }
        reply.type(JSON_TYPE);
        if (wantsGzip(request)) return await compressText(reply, JSON.stringify(envelope));
        // Without this, Fastify would first look for a schema of the response.
        reply.serializer(JSON.stringify);
        return envelope;
      } catch (error) {
        const failure = toAppError(error);
        return reply
          .code(failure.http)
          .headers(failureHeaders(failure))
          .send(failureEnvelope(failure, request.id, operation.name));
      }
    };
    for (const path of pathsOf(operation.meta)) app.post(path, serve);
  }
}

/** Calls a procedure, which reads the input only after it has checked the credentials. */
const call = ({ name, procedure }: Operation, ctx: RequestContext, input: () => unknown) =>
  callProcedure(procedure, { ctx, name, input });

function sendChunks(request: FastifyRequest, reply: FastifyReply, chunks: string[]): FastifyReply {
  const body = Readable.from(chunks, { objectMode: false });
  reply.type(JSON_TYPE);
  if (wantsGzip(request)) return reply.send(compressStream(reply, body));
  const length = chunks.reduce((total, chunk) => total + Buffer.byteLength(chunk), 0);
  return reply.header('content-length', length).send(body);
}

/** Reads a page for `sendNdjson`. @throws AppError, by which `sendNdjson` recognizes a rate limit */
async function readPage(
  operation: Operation,
  ctx: RequestContext,
  body: unknown,
  pageToken: string | undefined,
): Promise<Page> {
  const input = () => ({ ...requireData(operation, body), ...(pageToken && { pageToken }) });
  try {
    return (await call(operation, ctx, input)) as Page;
  } catch (error) {
    throw toAppError(error);
  }
}

/** The most fields next to `data` that a failure names. */
const MAX_NAMED_FIELDS = 10;
/** The most characters of a field's name that a failure shows. */
const MAX_SHOWN_CHARS = 100;

/** Returns `data`. Refuses fields next to it, since the caller would not notice that they have no effect. */
function requireData({ name }: Operation, body: unknown): object {
  const fields = isObject(body) ? body : {};
  const { data } = fields;
  const issues = Object.keys(fields)
    .filter((field) => field !== 'data')
    .slice(0, MAX_NAMED_FIELDS)
    .map((field) => field.slice(0, MAX_SHOWN_CHARS))
    .map((path) => ({ path, message: `is not known here. ${hintFor(path, data)}` }));
  if (data === undefined && !issues.some(({ path }) => resembles(path, 'data'))) {
    const message = `is missing: send the input of ${name} as {"data": {…}}`;
    issues.unshift({ path: 'data', message });
  } else if (data !== undefined && !isObject(data)) {
    issues.unshift({ path: 'data', message: 'must be an object' });
  }
  const [first] = issues;
  if (first) throw invalidArgument(`${first.path}: ${first.message}`, { details: { issues } });
  return data as object;
}

const hintFor = (field: string, data: unknown): string =>
  data === undefined && resembles(field, 'data')
    ? 'Did you mean data?'
    : 'Fields of the input belong inside data';
