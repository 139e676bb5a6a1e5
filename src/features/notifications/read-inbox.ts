import type { KeyContext } from '../../api/context.ts';
import { filterOnDocuments } from '../access/on-document.ts';
import { type Position, pageFrom } from './position.ts';
import type { InboxRow } from './present-notification.ts';
import { type NotificationQuery, selectInbox } from './select-notifications.ts';

type InboxQuery = NotificationQuery & { userId: string };
type PlacedRow = InboxRow & Position;

/** How often a page reads on past hidden notifications before a short page is returned. */
const ROUNDS = 5;
const MIN_READ = 100;

/**
 * A page of the notifications in an inbox that the user may see now: by the access to each document,
 * by the access context, and by the visibility of the source annotation. `next` is the position
 * after which the next page begins; undefined: this is the last page.
 */
export async function readInbox(
  ctx: KeyContext,
  query: InboxQuery,
  { after, pageSize }: { after: Position | undefined; pageSize: number },
): Promise<{ rows: PlacedRow[]; next: Position | undefined }> {
  const limit = Math.max(pageSize + 1, MIN_READ);
  const found: PlacedRow[] = [];
  let from = after;
  for (let round = 0; round < ROUNDS; round++) {
    const read = await selectInbox(ctx, query, { after: from, limit });
    const shown = read.filter((row) => row.isShown);
    found.push(...(await filterOnDocuments(ctx, ctx.db, query, shown)));
    if (found.length > pageSize || read.length < limit) return pageFrom(found, pageSize);
    from = read.at(-1);
  }
  return { rows: found, next: from };
}
