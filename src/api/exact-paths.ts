import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/errors.ts';

/** The only path with a part of its own: names of procedures, separated by commas in a batch. */
const PROCEDURES = '/trpc/:path';
const PROCEDURE_PATH = /^\/trpc\/[\w.,-]+$/;
/** How much of an unknown path is logged. */
const MAX_WORDS = 8;
/** What proxies send in place of a path. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** The path of a request as it was written, without its query. */
export const pathOf = (url: string): string => url.replace(ORIGIN, '').split('?', 1)[0] ?? '';

/** The paths that there are, and what each of them takes. */
export class ExactPaths {
  readonly #methodsOf = new Map<string, Set<string>>();
  readonly #words = new Set<string>();

  /**
   * Refuses what no route takes before a byte of its body is read. The router alone would read the
   * body first, and take `/v2/%75sers/get` for `/v2/users/get`.
   *
   * Registered before the routes, and after the hooks whose headers its failures are to carry.
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

  /** The path as it may be logged. Where nothing is, it may hold anything, a secret too. */
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
