import type { KeyContext } from '../../../api/context.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import type { FullAnnotation } from '../annotation-row.ts';
import type { NamedUserObject } from '../comment-row.ts';
import type { PersonalInput } from '../comments/schema.ts';
import { nameUsers, placeIn } from './resolve-users.ts';

/** Who acts: whoever came with a user token, else the user whom the API key's caller names. */
export async function personOf(
  ctx: KeyContext,
  tx: Transaction,
  annotation: FullAnnotation,
  { userId }: PersonalInput,
): Promise<NamedUserObject> {
  const named = ctx.userId ?? userId;
  if (named === undefined) throw userMissing();
  const users = await nameUsers(ctx, tx, placeIn(annotation), [{ userId: named }]);
  return users.complete({ userId: named });
}

function userMissing() {
  const issue = { path: 'userId', message: 'must name the user' };
  return invalidArgument('userId: must name the user.', { details: { issues: [issue] } });
}
