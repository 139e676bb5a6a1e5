import type { StreamContext } from '../../../api/context.ts';
import { follow } from '../../../api/follow.ts';
import type { Slice } from '../../../platform/live-bus/subscriber-cursor.ts';
import { factsFor, recheckOrganization } from '../../access/live-access.ts';
import { loadAccessTo } from '../../access/load-access.ts';
import { requireOwnUserId } from '../../access/own-user.ts';
import { presentEvent } from '../../events/get-events.ts';
import { type InboxRow, presentNotification } from '../present-notification.ts';
import { readInbox } from '../read-inbox.ts';
import type { PresentedNotification } from '../schema.ts';
import type { NotificationChange, NotificationChangesInput } from './schema.ts';

const TYPES = ['notification.add'];

/** Follows the notifications that arrive in an inbox and that its user may see at that moment. */
export async function followInbox(
  ctx: StreamContext,
  { lastEventId, ...input }: NotificationChangesInput,
) {
  const { tenantId } = ctx;
  const { organizationId } = input;
  const userId = requireOwnUserId(ctx, input);
  return follow<NotificationChange>(ctx, {
    topic: { tenantId, organizationId, documentId: undefined, types: TYPES },
    userId,
    lastEventId,
    checkAccess: async () =>
      recheckOrganization(
        ctx,
        await loadAccessTo(ctx.db, { tenantId, userId }, { organizationId }),
      ),
    recheckAccess: async (cursor) => recheckOrganization(ctx, await factsFor(ctx, cursor)),
    present: (slice) => presentArrivals(ctx, { organizationId, userId }, slice),
  });
}

/** Presents arrivals as `readInbox` returns them, so that stream and list apply one rule. */
async function presentArrivals(
  ctx: StreamContext,
  inbox: { organizationId: string; userId: string },
  { events }: Slice,
): Promise<Array<NotificationChange | undefined>> {
  const contents = events.map(({ data }) => data as PresentedNotification);
  const ids = contents
    .filter(({ notifyUsers }) => Object.hasOwn(notifyUsers, inbox.userId))
    .map(({ id }) => id);
  const visible = await readSome(ctx, inbox, [...new Set(ids)]);
  return events.map((event, at) => {
    const row = visible.get(contents[at]?.id ?? '');
    if (!row) return undefined;
    return {
      ...presentEvent(event),
      type: 'notification.add',
      data: presentNotification(ctx, row),
    };
  });
}

async function readSome(
  ctx: StreamContext,
  inbox: { organizationId: string; userId: string },
  notificationIds: string[],
): Promise<Map<string, InboxRow>> {
  if (notificationIds.length === 0) return new Map();
  const { rows } = await readInbox(
    ctx,
    { ...inbox, tenantId: ctx.tenantId, notificationIds, order: 'asc' },
    { after: undefined, pageSize: notificationIds.length },
  );
  return new Map(rows.map((row) => [row.notificationId, row]));
}
