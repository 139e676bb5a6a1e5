import { succeeded } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { annotationEvent } from './annotation-event.ts';
import { requireSize } from './annotation-size.ts';
import {
  mergeSubscriptions,
  type SubscriptionChange,
  saveSubscriptions,
} from './annotation-users.ts';
import type { PersonalInput } from './schema.ts';
import { withActingUser } from './with-annotation.ts';

/** Subscribes or unsubscribes a user. Unsubscribing also ends automatic subscriptions. */
export function changeSubscription(
  ctx: KeyContext,
  input: PersonalInput,
  change: 'subscribe' | 'unsubscribe',
) {
  const isSubscribing = change === 'subscribe';
  const subscription = isSubscribing ? 'manual' : 'none';
  const message = isSubscribing ? 'User subscribed.' : 'User unsubscribed.';
  return withActingUser(ctx, input, 'viewer', async (tx, before, getActingUser) => {
    // Unsubscribing does not make the user a member of the organization.
    const user = await getActingUser(isSubscribing ? 'ensureMember' : 'asIs');
    const row: SubscriptionChange = { user, subscription, explicit: true, mentioned: false };
    const previous = before.subscriptions.find(
      (each) => each.user.userId === user.userId,
    )?.subscription;
    const outcome = succeeded(before.annotationId, message);
    if (previous === subscription || (isSubscribing && previous === 'auto')) return outcome;
    const after = { ...before, subscriptions: mergeSubscriptions(before.subscriptions, [row]) };
    if (isSubscribing) await requireSize(after);
    saveSubscriptions(tx, ctx.tenantId, [{ annotation: after, changes: [row] }]);
    const event = annotationEvent(ctx, `comment_annotation.${change}`, after, {
      actionUser: user,
      triggerNotification: false,
    });
    await ctx.events.append(tx, ctx.tenantId, [event]);
    return outcome;
  });
}

/** Marks the whole annotation as read by the user. This publishes no event. */
export function markRead(ctx: KeyContext, input: PersonalInput) {
  return withActingUser(ctx, input, 'viewer', async (tx, annotation, getActingUser) => {
    const user = await getActingUser('asIs');
    const { annotationId, organizationId, lastUpdated } = annotation;
    const readAt = Math.max(ctx.clock.now(), lastUpdated);
    tx.beforeCommit(sql`
      INSERT INTO annotation_users (tenant_id, annotation_id, user_id, organization_id, "user",
        read_at, last_updated)
      VALUES (${ctx.tenantId}, ${annotationId}, ${user.userId}, ${organizationId},
        ${JSON.stringify(user)}::jsonb, ${readAt}::bigint, ${lastUpdated}::bigint)
      ON CONFLICT (tenant_id, annotation_id, user_id) DO UPDATE SET read_at = excluded.read_at`);
    return succeeded(annotationId, 'Annotation read.');
  });
}
