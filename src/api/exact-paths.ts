import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/errors.ts';

/** The only path with a parameter: the names of procedures, separated by commas in a batch. */
const PROCEDURES = '/trpc/:path';
const PROCEDURE_PATH = /^\/trpc\/[\w.,-]+$/;
/** The most segments of an unknown path that are logged. */
const MAX_WORDS = 8;
/** The origin that proxies may send before the path. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** Returns the path of a request as written, without the query. */
export const pathOf = (url: string): string => url.replace(ORIGIN, '').split('?', 1)[0] ?? '';

/** The existing paths and their methods. */
export class ExactPaths {
  readonly #methodsOf = new Map<string, Set<string>>();
  readonly #words = new Set<string>();

  /**
   * Refuses unknown paths and methods before the body is read. The router alone would read the body
   * first, and would treat `/v2/%75sers/get` as `/v2/users/get`.
   *
   * This must be registered before the routes, and after the hooks that set headers of its
   * failures.
   */
  register(app: FastifyInstance): void {
    app.addHook('onRoute', ({ url, method }) => {
      const methods = this.#methodsOf.get(url) ?? new Set();
      for (const name of [method].flat()) methods.add(name);
      this.#methodsOf.set(url, methods);
      for (const word of url.split('/')) this.#words.add(word);
    });
    app.addHook('onRequest', ({ url, method }, _reply, done) => {
      const methods = this.#find(pathOf(url));
      if (!methods) done(nothingHere());
      else if (!methods.has(method)) done(wrongMethod([...methods]));
      else done();
    });
  }

  /**
   * Returns the path in a form that may be logged. An unknown path may contain anything, secrets
   * included.
   */
  loggable(url: string): string {
    const path = pathOf(url);
    if (this.#methodsOf.has(path)) return path;
    const words = path.split('/', MAX_WORDS);
    return words.map((word) => (this.#words.has(word) ? word : '*')).join('/');
  }

  #find(path: string): Set<string> | undefined {
    return this.#methodsOf.get(PROCEDURE_PATH.test(path) ? PROCEDURES : path);
  }
}

export const nothingHere = () => new AppError('NOT_FOUND', 'There is nothing at this path.');

const wrongMethod = (methods: string[]) =>
  new AppError('INVALID_ARGUMENT', `This path takes ${methods.join(' and ')} only.`, {
    http: 405,
    allow: methods.join(', '),
  });
