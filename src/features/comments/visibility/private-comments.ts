import type { KeyContext } from '../../../api/context.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Visibility } from '../annotation-row.ts';

/** @throws FAILED_PRECONDITION for a visibility other than public while private comments are off */
export function requireAllowedVisibility(
  ctx: KeyContext,
  requested: Array<Visibility | undefined>,
): void {
  if (ctx.key.enablePrivateComments) return;
  if (requested.every((visibility) => (visibility?.type ?? 'public') === 'public')) return;
  throw new AppError('FAILED_PRECONDITION', 'Private comments are not enabled for this API key.');
}

/** Returns the visibility to store, with the default for a missing organization or list of users. */
export function visibilityOf(input: Visibility | undefined, organizationId: string): Visibility {
  if (input?.type === 'organizationPrivate') {
    return { type: input.type, organizationId: input.organizationId ?? organizationId };
  }
  if (input?.type === 'restricted') return { type: input.type, userIds: input.userIds ?? [] };
  return { type: 'public' };
}
