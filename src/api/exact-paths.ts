import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/errors.ts';

/** The only path with a part of its own: names of procedures, separated by commas in a batch. */
const PROCEDURES = '/trpc/:path';
const PROCEDURE_PATH = /^\/trpc\/[^/%]+$/;
/** What proxies send in place of a path. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** The path of a request as it was written, without its query. */
export const pathOf = (url: string): string => url.replace(ORIGIN, '').split('?', 1)[0] ?? '';

/**
 * Refuses what no route takes before a byte of its body is read. The router alone would read the
 * body first, and take `/v2/%75sers/get` for `/v2/users/get`.
 *
 * Registered before the routes, and after the hooks whose headers its failures are to carry.
 */
export function matchExactly(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsOf.set(url, methods);
  });
  app.addHook('onRequest', (request, _reply, done) => {
    const path = pathOf(request.url);
    const methods = methodsOf.get(PROCEDURE_PATH.test(path) ? PROCEDURES : path);
    if (!methods) done(new AppError('NOT_FOUND', 'There is nothing at this path.'));
    else if (!methods.has(request.method)) done(wrongMethod([...methods]));
    else done();
  });
}

const wrongMethod = (methods: string[]) =>
  new AppError('INVALID_ARGUMENT', `This path takes ${methods.join(' and ')} only.`, {
    http: 405,
    allow: methods.join(', '),
  });
