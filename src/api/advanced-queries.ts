import { AppError } from '../platform/errors.ts';
import type { KeyContext } from './context.ts';

/**
 * Some operations need advanced queries (specification part 9). They are on unless an
 * administrator turned them off for the key.
 */
export function requireAdvancedQueries(ctx: KeyContext): void {
  if (ctx.key.advancedQueries) return;
  throw new AppError('FAILED_PRECONDITION', 'Advanced queries are turned off for this API key.');
}
