import type { KeyContext } from '../../../api/context.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Visibility } from '../annotation-row.ts';

/** @throws FAILED_PRECONDITION for anything but public while private comments are off */
export function requirePrivateComments(
  ctx: KeyContext,
  requested: Array<Visibility | undefined>,
): void {
  if (ctx.key.enablePrivateComments) return;
  if (requested.every((visibility) => (visibility?.type ?? 'public') === 'public')) return;
  throw new AppError('FAILED_PRECONDITION', 'Private comments are not enabled for this API key.');
}

/** The visibility as it is stored, with the organization or the users spelled out. */
export function visibilityOf(input: Visibility | undefined, organizationId: string): Visibility {
  if (input?.type === 'organizationPrivate') {
    return { type: input.type, organizationId: input.organizationId ?? organizationId };
  }
  if (input?.type === 'restricted') return { type: input.type, userIds: input.userIds ?? [] };
  return { type: 'public' };
}
