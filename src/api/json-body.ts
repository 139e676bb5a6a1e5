import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalidArgument } from '../platform/errors.ts';
import { nextPiece } from '../platform/turns.ts';
import { bodyProblem } from './body-shape.ts';
import type { BodyReceiver } from './receive-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The size of the body, also where no header told it. */
    bodyBytes: number;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

const LARGE_BODY = 128 * 1024;

/** Whether each thing that is done with a body takes some milliseconds, and a turn of its own. */
export const isLargeBody = (bytes: number): boolean => bytes > LARGE_BODY;

/** Keys that could reach an object's prototype, also when written with escapes. */
const SUSPICIOUS = /__proto__|constructor|\\u00/i;

/**
 * Bodies are JSON in UTF-8 and nothing else. `keep` says what the routes get: the parsed value, or
 * (for tRPC, which parses for itself) the checked text.
 */
export function acceptJsonOnly(
  app: FastifyInstance,
  bodies: BodyReceiver,
  keep: 'value' | 'text',
): void {
  const read = readerFor(app, keep);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, _payload, done) => {
    bodies.receive(request.raw, (failure, body) => {
      if (failure || !body) return done(failure);
      request.bodyBytes = body.length;
      if (!isLargeBody(body.length)) return read(request, body, done);
      return void Promise.resolve(nextPiece())
        .then(() => read(request, body, done))
        .catch(done);
    });
  });
}

type Done = (failure: AppError | null, kept?: unknown) => void;

function readerFor(app: FastifyInstance, keep: 'value' | 'text') {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (request: FastifyRequest, body: Buffer, done: Done): void => {
    const text = shapeFailure(body) ?? decode(request, body);
    if (text instanceof AppError) return void done(text);
    if (keep === 'text' && !SUSPICIOUS.test(text)) return void done(null, text);
    return void parse(request, text, (error, value) => {
      if (error) return done(invalidArgument('The body is not valid JSON.', { cause: error }));
      return done(null, keep === 'value' ? value : text);
    });
  };
}

function shapeFailure(body: Buffer): AppError | undefined {
  const problem = bodyProblem(body);
  if (!problem) return undefined;
  const { message, field } = problem;
  if (field === undefined) return invalidArgument(message);
  const issues = [{ path: field, message: 'is nested too deep' }];
  return invalidArgument(message, { details: { issues } });
}

function decode(request: FastifyRequest, body: Buffer): string | AppError {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(
    request.headers['content-type'] ?? '',
  )?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) return unsupportedMediaType();
  try {
    return utf8.decode(body);
  } catch {
    return invalidArgument('The body is not valid UTF-8.');
  }
}

export const unsupportedMediaType = () =>
  new AppError('INVALID_ARGUMENT', 'The content type must be application/json.', { http: 415 });
