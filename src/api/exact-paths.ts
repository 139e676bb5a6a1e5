import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/errors.ts';
import { nearestName } from './nearest-name.ts';

/**
 * The paths of each route with a variable part: the pages of the documentation and the console, the
 * names of procedures (several in a batch, separated by commas), and the links to files.
 */
const VARIABLE_ROUTES: Array<[paths: RegExp, route: string]> = [
  [/^\/docs\/[\w./-]+$/, '/docs/*'],
  [/^\/trpc\/[\w.,-]+$/, '/trpc/:path'],
  [/^\/console\/trpc\/[\w.,-]+$/, '/console/trpc/:path'],
  [/^\/files\/[\w.-]+$/, '/files/:token'],
  [/^\/console\/(?!trpc\/)[\w./%~:@-]*$/, '/console/*'],
];
/** The most segments of an unknown path that are logged. */
const MAX_SEGMENTS = 8;
/** The origin that proxies may send before the path. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Returns the path of a request as written, without the query. */
export const pathOf = (url: string): string => url.replace(ORIGIN, '').split('?', 1)[0] ?? '';

/** Knows the existing paths and their methods, and refuses all others. */
export class ExactPaths {
  readonly #methodsOf = new Map<string, Set<string>>();
  readonly #segments = new Set<string>();

  /**
   * Refuses unknown paths and methods before the body is read. The router alone would read the body
   * first, and would treat `/v2/%75sers/get` as `/v2/users/get`.
   *
   * Call `register` before the routes are added, and after the hooks that set the headers of failures.
   */
  register(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url, method }) => {
      const methods = this.#methodsOf.get(url) ?? new Set();
      for (const name of Array.isArray(method) ? method : [method]) methods.add(name);
      this.#methodsOf.set(url, methods);
      for (const segment of url.split('/')) this.#segments.add(segment);
    });
    app.addHook('onRequest', ({ url, method }, _reply, done) => {
      const methods = this.#methodsOf.get(url) ?? this.#methodsAt(pathOf(url));
      if (!methods && isInTrpc(pathOf(url))) done(trpcPathNotFound());
      else if (!methods && pathOf(url) === '/collaboration') done(webSocketsOnly());
      else if (!methods) done(pathNotFound(nearestName(pathOf(url), this.#methodsOf.keys())));
      else if (!methods.has(method)) done(wrongMethod(method, [...methods]));
      else done();
    });
  }

  /**
   * Returns the path in a form that may be logged. An unknown path may contain anything, secrets
   * included.
   */
  loggablePath(url: string): string {
    const path = pathOf(url);
    if (this.#methodsOf.has(path)) return path;
    const segments = path.split('/', MAX_SEGMENTS);
    return segments.map((segment) => (this.#segments.has(segment) ? segment : '*')).join('/');
  }

  #methodsAt(path: string): Set<string> | undefined {
    const exact = this.#methodsOf.get(path);
    const route = VARIABLE_ROUTES.find(([paths]) => paths.test(path))?.[1];
    return exact ?? (route === undefined ? undefined : this.#methodsOf.get(route));
  }
}

/** @param nearest an existing path. The message does not repeat the unknown path, which may contain a secret */
export const pathNotFound = (nearest?: string) =>
  new AppError(
    'NOT_FOUND',
    nearest === undefined
      ? 'There is nothing at this path. All paths are listed at /docs and in /openapi.json.'
      : `There is nothing at this path. Did you mean ${nearest}?`,
  );

const isInTrpc = (path: string): boolean => path === '/trpc' || path.startsWith('/trpc/');

const trpcPathNotFound = () =>
  new AppError(
    'NOT_FOUND',
    'There is nothing at this path. Procedures are at /trpc/ followed by their dotted name, such as /trpc/users.add.',
  );

const webSocketsOnly = () =>
  new AppError(
    'NOT_FOUND',
    'Live documents are edited over a WebSocket at this path, with @hocuspocus/provider.',
  );

function wrongMethod(method: string, allowed: string[]) {
  const takes = `This path takes ${allowed.join(' and ')} only, not ${method}.`;
  const how = ' Send the input as the JSON body {"data": {…}}; /docs has an example.';
  const message = allowed.includes('POST') ? takes + how : takes;
  return new AppError('INVALID_ARGUMENT', message, { http: 405, allow: allowed.join(', ') });
}
