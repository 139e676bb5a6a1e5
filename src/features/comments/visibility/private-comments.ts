import type { KeyContext } from '../../../api/context.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Visibility } from '../annotation-row.ts';

/** @throws FAILED_PRECONDITION for anything but public while private comments are off */
export function requirePrivateComments(
  ctx: KeyContext,
  given: Array<Visibility | undefined>,
): void {
  if (ctx.key.enablePrivateComments) return;
  if (given.every((visibility) => visibility === undefined || visibility.type === 'public')) return;
  throw new AppError('FAILED_PRECONDITION', 'Private comments are not enabled for this API key.');
}

/** The visibility as it is stored, with the organization or the users spelled out. */
export function visibilityOf(given: Visibility | undefined, organizationId: string): Visibility {
  if (given?.type === 'organizationPrivate') {
    return { type: given.type, organizationId: given.organizationId ?? organizationId };
  }
  if (given?.type === 'restricted') return { type: given.type, userIds: given.userIds ?? [] };
  return { type: 'public' };
}
