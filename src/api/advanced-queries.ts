import { AppError } from '../platform/errors.ts';
import type { KeyContext } from './context.ts';

/**
 * Requires advanced queries (specification part 9), which are enabled unless an administrator
 * disabled them for the key.
 */
export function requireAdvancedQueries(ctx: KeyContext): void {
  if (ctx.key.advancedQueries) return;
  throw new AppError('FAILED_PRECONDITION', 'Advanced queries are turned off for this API key.');
}
