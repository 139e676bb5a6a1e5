import type { KeyContext } from '../../api/context.ts';
import { visibleTo } from '../access/visible-to.ts';
import type { Position } from './position.ts';
import type { InboxRow } from './present-notification.ts';
import { type NotificationQuery, selectInbox } from './select-notifications.ts';

type InboxQuery = NotificationQuery & { userId: string };
type PlacedRow = InboxRow & Position;

/** How often a page reads on, past notifications that may not be seen, before it is answered short. */
const ROUNDS = 5;
const LEAST_READ = 100;

/**
 * A page of what somebody may see of their inbox now: by their access to each document, their
 * access context, and the visibility of the annotation that a notification is about. `next` is where the page after it begins; undefined: there is none.
 */
export async function readInbox(
  ctx: KeyContext,
  query: InboxQuery,
  { after, pageSize }: { after: Position | undefined; pageSize: number },
): Promise<{ rows: PlacedRow[]; next: Position | undefined }> {
  const limit = Math.max(pageSize + 1, LEAST_READ);
  const found: PlacedRow[] = [];
  let from = after;
  for (let round = 0; round < ROUNDS; round++) {
    const read = await selectInbox(ctx, query, { after: from, limit });
    const shown = read.filter((row) => row.isShown);
    found.push(...(await visibleTo(ctx, ctx.db, query, shown)));
    if (found.length > pageSize || read.length < limit) return pageFrom(found, pageSize);
    from = read.at(-1);
  }
  return { rows: found, next: from };
}

function pageFrom(found: PlacedRow[], pageSize: number) {
  const rows = found.slice(0, pageSize);
  return { rows, next: found.length > pageSize ? rows.at(-1) : undefined };
}
