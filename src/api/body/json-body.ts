import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalidArgument } from '../../platform/errors.ts';
import { nextLongTurn } from '../../platform/event-loop.ts';
import { bodyProblem } from './body-shape.ts';
import type { BodyReceiver } from './receive-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The size of the body, even if there is no `Content-Length` header. */
    bodyBytes: number;
  }
}

const LARGE_BODY = 128 * 1024;

/** Whether a body is so large that each step of processing it may take up to 60 ms, so other work must run in between. */
export const isLargeBody = (bytes: number): boolean => bytes > LARGE_BODY;

/** Lets other work run if the body is large. Await it before each step of processing the input. */
export const yieldIfLarge = ({
  body,
}: {
  body: { isLarge: boolean };
}): Promise<void> | undefined => (body.isLarge ? nextLongTurn() : undefined);

/** Matches keys that could reach an object's prototype, including their escaped forms. */
const SUSPICIOUS_KEYS = /__proto__|constructor|\\u00/i;

/**
 * Accepts only JSON in UTF-8, and refuses keys that could reach an object's prototype.
 *
 * @param bodyAs what routes receive: the parsed value, or the text for tRPC, which parses it itself
 */
export function acceptJsonOnly(
  app: FastifyInstance,
  bodies: BodyReceiver,
  bodyAs: 'value' | 'text',
): void {
  const parse = parserOf(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, _payload, done) => {
    bodies.receive(request.raw, (failure, body) => {
      if (failure || !body) return done(failure);
      request.bodyBytes = body.length;
      const readBody = () => {
        try {
          done(null, read(request, body, parse, bodyAs));
        } catch (error) {
          done(error as AppError);
        }
      };
      if (isLargeBody(body.length)) void Promise.resolve(nextLongTurn()).then(readBody);
      else readBody();
    });
  });
}

type Parse = (text: string) => unknown;

/** Returns Fastify's own parser, which refuses keys that could reach an object's prototype. */
function parserOf(app: FastifyInstance): Parse {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (text) => {
    let parsed: unknown;
    let failure: Error | null = null;
    void parse({} as FastifyRequest, text, (error, value) => {
      failure = error;
      parsed = value;
    });
    if (failure) throw failure;
    return parsed;
  };
}

function read(
  request: FastifyRequest,
  body: Buffer,
  parse: Parse,
  bodyAs: 'value' | 'text',
): unknown {
  refuseEncoding(request);
  const problem = bodyProblem(body);
  if (problem) throw problem;
  const text = decode(body);
  if (bodyAs === 'text' && !SUSPICIOUS_KEYS.test(text)) return text;
  try {
    // Text for tRPC is parsed here only to find such keys.
    const value = parse(text);
    return bodyAs === 'value' ? value : text;
  } catch (error) {
    throw SUSPICIOUS_KEYS.test(text) ? reservedName(error) : notJson(error);
  }
}

function refuseEncoding({ headers }: FastifyRequest): void {
  if (!/^identity$/i.test(headers['content-encoding'] ?? 'identity')) throw compressed();
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) throw unsupportedMediaType();
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes a body, without its byte order mark if it has one. */
function decode(body: Buffer): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw invalidArgument('The body is not valid UTF-8.');
  }
}

const compressed = () =>
  invalidArgument('The body must not be compressed: send it without the header content-encoding.', {
    http: 415,
  });
const notJson = (cause: unknown) =>
  invalidArgument('The body is not valid JSON: send the input as {"data": {…}}.', { cause });
const reservedName = (cause: unknown) =>
  invalidArgument(
    'The body is not valid JSON, or it has a field named __proto__ or constructor.prototype, which no object may have.',
    { cause },
  );

export const unsupportedMediaType = () =>
  new AppError('INVALID_ARGUMENT', 'Send the header content-type: application/json.', {
    http: 415,
  });
