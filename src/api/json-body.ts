import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalidArgument } from '../platform/errors.ts';
import type { BodyReceiver } from './receive-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The size of the body, also where no header told it. */
    bodyBytes: number;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** It takes some milliseconds to parse: what is done with it has a turn of its own. */
const LARGE_BODY = 256 * 1024;

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
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, _payload, done) => {
    bodies.receive(request.raw, (failure, body) => {
      if (failure || !body) return done(failure);
      request.bodyBytes = body.length;
      const text = decode(request, body);
      if (text instanceof AppError) return done(text);
      if (keep === 'text' && !SUSPICIOUS.test(text)) return done(null, text);
      return parse(request, text, (error, value) => {
        if (error) return done(invalidArgument('The body is not valid JSON.', { cause: error }));
        const kept = keep === 'value' ? value : text;
        if (text.length < LARGE_BODY) return done(null, kept);
        return setImmediate(() => done(null, kept));
      });
    });
  });
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
