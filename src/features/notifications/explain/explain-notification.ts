import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import type { AccessContext } from '../../access/access-context.ts';
import { loadVisibility, loadVisibilityOfRows } from '../../comments/visibility/load-visibility.ts';
import { VISIBILITY_STEPS, type VisibilityStep } from '../../comments/visibility/rule.ts';
import { triggerOf } from '../../settings/triggers.ts';
import { accessAtEvent } from '../generate/annotation-event.ts';
import { isTriggered, type Reason } from '../generate/audience.ts';
import { isDeferred } from '../generate/batches.ts';
import { dropStale } from '../generate/current-events.ts';
import { loadParticipation } from '../generate/participation.ts';
import { loadCandidates } from '../generate/recipients.ts';
import { getNotificationConfig } from '../settings/notification-config.ts';
import type { NotificationConfig } from '../settings/schema.ts';
import { type EventQuery, findEvent } from './find-event.ts';
import {
  type ExplainNotificationInput,
  type NotificationExplanation,
  type NotificationStep,
  RULES,
  type Rule,
} from './schema.ts';

/**
 * Explains whether a user is notified of an event of an annotation, or sees a notification. Every
 * step is decided by the same code that generates or lists notifications, with the current settings,
 * access and comments.
 *
 * @throws INVALID_ARGUMENT (annotation_not_found, event_not_found, notification_not_found)
 */
export async function explainNotification(
  ctx: KeyContext,
  { organizationId, userId, documentId, annotationId, eventId, ...input }: ExplainNotificationInput,
): Promise<NotificationExplanation> {
  const steps =
    documentId !== undefined && annotationId !== undefined
      ? await stepsOfThread(ctx, userId, { organizationId, documentId, annotationId, eventId })
      : await stepsOfNotification(ctx, userId, organizationId, input.notificationId ?? '');
  return { notified: steps.every(({ outcome }) => outcome !== 'stops'), steps };
}

const AUDIENCE_REASONS: Record<Reason, string> = {
  mentioned: 'The comment mentions the user, or a group of the user.',
  assigned: 'The annotation is assigned to the user.',
  subscribed: 'The user, or a group of the user, is subscribed to the annotation.',
};

const step = (rule: Rule, passes: boolean, details = ''): NotificationStep => ({
  rule,
  outcome: passes ? 'passes' : 'stops',
  // With a function as the replacement, a $ in the details has no special meaning.
  reason: RULES[rule][passes ? 0 : 1].replace('TEXT', () => details),
});
const note = (rule: Rule, reason: string): NotificationStep => ({ rule, outcome: 'info', reason });

async function stepsOfThread(
  ctx: KeyContext,
  userId: string,
  thread: EventQuery,
): Promise<NotificationStep[]> {
  const { db, tenantId, clock } = ctx;
  // Gives events that were just written their place in the log, so that they are found.
  await ctx.events.sequence(tenantId, db);
  const event = await findEvent(ctx, thread);
  if (!event) return [step('event', false)];
  const now = unixSeconds(clock);
  const config = await getNotificationConfig(ctx);
  // Only deferred events are compared with the current comments.
  const kept = isDeferred(config) ? await dropStale(db, tenantId, [event]) : [event];
  const [keptEvent = event] = kept;
  // The audience is explained even if the call asked for no notifications.
  const requested = { ...keptEvent, data: { ...keptEvent.data, triggerNotification: true } };
  const [audience] = await loadCandidates(db, { tenantId, events: [requested], now });
  const candidate = audience?.recipients.find(
    ({ user, isDeleted }) => user.userId === userId && !isDeleted,
  );
  const reason = candidate && AUDIENCE_REASONS[candidate.reason];
  const annotationIds = [thread.annotationId];
  const earlier = accessAtEvent(event);
  const query = { tenantId, annotationIds, userIds: [userId] };
  const visibility = await loadVisibility(db, query, now, [earlier]);
  const participationOf = await loadParticipation(db, tenantId, annotationIds);
  const actor = event.data.actionUser?.userId;
  const actedBy =
    actor === undefined ? 'A server acted, without naming a user.' : `The acting user is ${actor}.`;
  return [
    note('event', `The event is ${event.type}, from ${event.createdAt.toISOString()}.`),
    step('service', config.useNotificationService),
    step(
      'trigger',
      isTriggered(config.triggers, event),
      `comment.${triggerOf(event.type).trigger}`,
    ),
    step('requested', event.data.triggerNotification),
    step('actor', actor !== userId, actedBy),
    ...(actor === userId ? [] : [step('audience', candidate !== undefined, reason)]),
    // Deferred events are dropped when their subject is deleted or withdrawn.
    ...(kept.length === 0 ? [step('subject', false)] : []),
    ...visibilitySteps(visibility.hidingStep(thread.annotationId, userId, earlier)),
    ...(candidate
      ? [step('subscription', !candidate.isUnsubscribed), step('preference', candidate.wants.inbox)]
      : []),
    ...(isDeferred(config) ? [step('read', !participationOf(userId, event).hasRead)] : []),
    note('timing', timingOf(config)),
  ];
}

function visibilitySteps(hiding: VisibilityStep | 'missing' | undefined): NotificationStep[] {
  if (hiding === 'missing') {
    return [{ rule: 'subject', outcome: 'stops', reason: 'The annotation was deleted.' }];
  }
  const passed = hiding ? VISIBILITY_STEPS.indexOf(hiding) : VISIBILITY_STEPS.length;
  return VISIBILITY_STEPS.slice(0, passed + 1).map((rule, index) => step(rule, index < passed));
}

function timingOf({ delay, batching }: NotificationConfig): string {
  const waits = [
    ...(batching.isEnabled ? [`up to ${batching.windowSeconds} s for further events`] : []),
    ...(delay.isEnabled ? [`for a delay of ${delay.delaySeconds} s`] : []),
  ];
  if (waits.length === 0) return 'The notification is sent at once.';
  return `The notification waits ${waits.join(', and then ')}.`;
}

interface FoundNotification {
  documentId: string;
  annotationId: string | null;
  access: AccessContext | null;
  isRecipient: boolean;
}

async function stepsOfNotification(
  { db, tenantId, clock }: KeyContext,
  userId: string,
  organizationId: string,
  notificationId: string,
): Promise<NotificationStep[]> {
  const [found] = await db.query<FoundNotification>(sql`
    SELECT n.document_id AS "documentId", n.annotation_id AS "annotationId", n.access,
           r.user_id IS NOT NULL AS "isRecipient"
    FROM notifications n LEFT JOIN notification_recipients r ON r.tenant_id = n.tenant_id
      AND r.organization_id = n.organization_id AND r.notification_id = n.notification_id
      AND r.user_id = ${userId}
    WHERE n.tenant_id = ${tenantId} AND n.organization_id = ${organizationId}
      AND n.notification_id = ${notificationId}`);
  if (!found) {
    const reason = 'notification_not_found';
    throw invalidArgument('The notification does not exist.', { reason });
  }
  const { annotationId, isRecipient } = found;
  const id = annotationId ?? notificationId;
  const query = { tenantId, annotationIds: [id], userIds: [userId] };
  const now = unixSeconds(clock);
  // A custom notification is not about an annotation. It is visible like one about a public annotation.
  const source = { ...found, annotationId: id, organizationId, authorId: '', visibility: PUBLIC };
  const visibility = await (annotationId === null
    ? loadVisibilityOfRows(db, query, [source], now)
    : loadVisibility(db, query, now));
  const audience = isRecipient
    ? 'The notification names the user.'
    : "The notification does not name the user, or it was removed from the user's inbox.";
  return [
    { rule: 'audience', outcome: isRecipient ? 'passes' : 'stops', reason: audience },
    ...visibilitySteps(visibility.hidingStep(id, userId)),
  ];
}

const PUBLIC = { type: 'public' as const };
