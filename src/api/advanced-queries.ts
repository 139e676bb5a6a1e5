import { AppError } from '../platform/errors.ts';
import type { KeyContext } from './context.ts';

/**
 * Returns the context if the key has advanced queries (specification part 9), which are enabled unless
 * an administrator disabled them.
 *
 * @throws FAILED_PRECONDITION when they are disabled
 */
export function requireAdvancedQueries<Context extends KeyContext>(ctx: Context): Context {
  if (ctx.key.advancedQueries) return ctx;
  throw new AppError('FAILED_PRECONDITION', 'Advanced queries are turned off for this API key.');
}
