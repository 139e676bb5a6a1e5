import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { sql } from '../../../platform/database/database.ts';
import { invalidArgument } from '../../../platform/errors.ts';
import type { AccessContext } from '../../access/access-context.ts';
import { loadAccessTo } from '../../access/load-access.ts';
import { triggerOf } from '../../activity/event-triggers.ts';
import { loadVisibility } from '../../comments/visibility/load-visibility.ts';
import { hiddenBy, VISIBILITY_STEPS, type VisibilityStep } from '../../comments/visibility/rule.ts';
import type { AnnotationEvent } from '../generate/annotation-event.ts';
import { isDeferred } from '../generate/batch-events.ts';
import { dropStale, loadReaders } from '../generate/drop-stale.ts';
import { filterByPreference } from '../generate/filter-by-preference.ts';
import { type Candidate, loadCandidates } from '../generate/recipients.ts';
import { isTriggered } from '../generate/should-notify.ts';
import { getNotificationConfig } from '../settings/notification-config.ts';
import type { NotificationConfig } from '../settings/schema.ts';
import { findEvent } from './find-event.ts';
import type {
  ExplainNotificationInput,
  NotificationExplanation,
  NotificationStep,
} from './schema.ts';

/**
 * Explains whether a user is notified of an event of an annotation, or sees a notification. Every
 * step is the decision of the code that generates or lists notifications, with the settings, the
 * access and the texts of now.
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

interface Thread {
  organizationId: string;
  documentId: string;
  annotationId: string;
  eventId: string | undefined;
}

async function stepsOfThread(
  ctx: KeyContext,
  userId: string,
  thread: Thread,
): Promise<NotificationStep[]> {
  const { db, tenantId, clock } = ctx;
  await ctx.events.sequence(tenantId, db);
  const event = await findEvent(ctx, thread);
  if (!event) return noEvent(ctx, thread);
  const now = unixSeconds(clock);
  const config = await getNotificationConfig(ctx);
  // The audience is explained even if the call asked for no notifications.
  const requested = { ...event, data: { ...event.data, triggerNotification: true } };
  const candidates = await loadCandidates(db, tenantId, [requested], now);
  const candidate = candidates.get(event.id)?.find(({ user }) => user.userId === userId);
  const asked = { tenantId, annotationIds: [thread.annotationId], userIds: [userId] };
  const visibility = await loadVisibility(db, asked, now);
  return [
    info('event', `${event.type} of ${event.createdAt.toISOString()}.`),
    ...triggerSteps(config, event),
    ...audienceSteps(event, userId, candidate),
    ...(await subjectSteps(ctx, config, event)),
    ...visibilitySteps(visibility.hiddenBy(thread.annotationId, userId)),
    ...(candidate ? await wishSteps(ctx, event, candidate) : []),
    ...(await timingSteps(ctx, config, event, userId)),
  ];
}

/** The event is not kept any more, or nothing was ever there. */
async function noEvent(
  { db, tenantId }: KeyContext,
  { organizationId, documentId, annotationId, eventId }: Thread,
): Promise<NotificationStep[]> {
  const rows = await db.query<{ annotationId: string }>(sql`
    SELECT annotation_id AS "annotationId" FROM comment_annotations
    WHERE tenant_id = ${tenantId} AND annotation_id = ${annotationId}
      AND organization_id = ${organizationId} AND document_id = ${documentId}`);
  if (rows.length === 0) {
    throw invalidArgument('The annotation does not exist.', { reason: 'annotation_not_found' });
  }
  if (eventId !== undefined) {
    const message = 'The annotation has no such event, or it is not kept any more.';
    throw invalidArgument(message, { reason: 'event_not_found' });
  }
  return [stops('event', 'No event of the annotation is kept any more.')];
}

function triggerSteps(config: NotificationConfig, event: AnnotationEvent): NotificationStep[] {
  const name = `comment.${triggerOf(event.type).trigger}`;
  return [
    step(
      'service',
      config.useNotificationService,
      'The notification service of the API key is on.',
      'The notification service of the API key is off: set useNotificationService.',
    ),
    step(
      'trigger',
      isTriggered(config, event),
      `The trigger ${name} is on.`,
      `The trigger ${name} is off, or another event of the same change notifies instead.`,
    ),
    step(
      'requested',
      event.data.triggerNotification,
      'The call asked for notifications, or a user made it.',
      'The call came from a server without triggerNotification.',
    ),
  ];
}

const CONCERNS = {
  mentioned: 'The comment mentions the user, or a group of the user.',
  assigned: 'The annotation is assigned to the user.',
  subscribed: 'The user, or a group of the user, is subscribed to the annotation.',
};

function audienceSteps(
  { data }: AnnotationEvent,
  userId: string,
  candidate: Candidate | undefined,
): NotificationStep[] {
  const isOther = data.actionUser?.userId !== userId;
  const actor = step(
    'actor',
    isOther,
    data.actionUser ? `${data.actionUser.userId} did it.` : 'A server did it, for no known user.',
    'Users are not notified of what they do themselves.',
  );
  if (!isOther) return [actor];
  const unconcerned =
    'The user is not mentioned, assigned or subscribed, and is in no group that is.';
  const concern = candidate ? CONCERNS[candidate.reason] : '';
  return [actor, step('audience', candidate !== undefined, concern, unconcerned)];
}

/** Waiting events are dropped when their subject is deleted. */
async function subjectSteps(
  { db, tenantId }: KeyContext,
  config: NotificationConfig,
  event: AnnotationEvent,
): Promise<NotificationStep[]> {
  if (!isDeferred(config)) return [];
  const current = await dropStale(db, tenantId, [event]);
  if (current.length > 0) return [];
  return [stops('subject', 'What the event is about was deleted while the notification waited.')];
}

const VISIBLE: Record<VisibilityStep, [string, string]> = {
  document: ['The user may view the document.', 'The user has no access to the document.'],
  context: [
    'The user holds the values of the access context, where there is one.',
    'The user holds none of the values of a field of the access context.',
  ],
  visibility: ['The visibility includes the user.', 'The visibility does not include the user.'],
};

function visibilitySteps(hidden: VisibilityStep | 'subject' | undefined): NotificationStep[] {
  if (hidden === 'subject') return [stops('subject', 'The annotation was deleted.')];
  const passed = hidden ? VISIBILITY_STEPS.indexOf(hidden) : VISIBILITY_STEPS.length;
  return VISIBILITY_STEPS.slice(0, passed + 1).map((each, at) =>
    step(each, at < passed, ...VISIBLE[each]),
  );
}

async function wishSteps(
  { db, tenantId }: KeyContext,
  event: AnnotationEvent,
  candidate: Candidate,
): Promise<NotificationStep[]> {
  const notified = [{ event, recipients: [candidate] }];
  const [wanted] = await filterByPreference(db, tenantId, notified);
  return [
    step(
      'subscription',
      !candidate.isUnsubscribed,
      'The user has not unsubscribed.',
      'The user has unsubscribed from the annotation.',
    ),
    step(
      'preference',
      wanted?.recipients.length === 1,
      'The preference of the user for the inbox allows it.',
      'The preference of the user for the inbox does not allow it: it is NONE, or MINE and the user only follows the annotation.',
    ),
  ];
}

async function timingSteps(
  { db, tenantId }: KeyContext,
  config: NotificationConfig,
  event: AnnotationEvent,
  userId: string,
): Promise<NotificationStep[]> {
  if (!isDeferred(config)) return [info('timing', 'It is sent at once.')];
  const { delay, batching } = config;
  const hasRead = await loadReaders(db, tenantId, [event]);
  const waits = [
    ...(batching.isEnabled ? [`up to ${batching.windowSeconds} s for others to join it`] : []),
    ...(delay.isEnabled ? [`${delay.delaySeconds} s of delay`] : []),
  ];
  return [
    step(
      'read',
      !hasRead(userId, event),
      'The user has not read the annotation since the event.',
      'The user read the annotation while the notification waited.',
    ),
    info('timing', `It waits ${waits.join(', and ')}.`),
  ];
}

interface Notification {
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
  const [found] = await db.query<Notification>(sql`
    SELECT n.document_id AS "documentId", n.annotation_id AS "annotationId", n.access,
           EXISTS (
             SELECT 1 FROM notification_recipients r
             WHERE r.tenant_id = ${tenantId} AND r.organization_id = ${organizationId}
               AND r.notification_id = ${notificationId} AND r.user_id = ${userId}
           ) AS "isRecipient"
    FROM notifications n
    WHERE n.tenant_id = ${tenantId} AND n.organization_id = ${organizationId}
      AND n.notification_id = ${notificationId}`);
  if (!found) {
    const reason = 'notification_not_found';
    throw invalidArgument('The notification does not exist.', { reason });
  }
  const { documentId, annotationId, access } = found;
  const now = unixSeconds(clock);
  const findObstacle = async () => {
    if (annotationId !== null) {
      const asked = { tenantId, annotationIds: [annotationId], userIds: [userId] };
      return (await loadVisibility(db, asked, now)).hiddenBy(annotationId, userId);
    }
    const place = { organizationId, documentId };
    const facts = {
      access: await loadAccessTo(db, { tenantId, userId }, place),
      isMember: () => false,
    };
    const open = { documentId, authorId: '', visibility: { type: 'public' as const }, access };
    return hiddenBy(facts, open, userId, now);
  };
  return [
    step(
      'audience',
      found.isRecipient,
      'The notification names the user.',
      'The notification does not name the user, or it left the inbox of the user.',
    ),
    ...visibilitySteps(await findObstacle()),
  ];
}

type Rule = NotificationStep['rule'];

const step = (rule: Rule, passes: boolean, yes: string, no: string): NotificationStep => ({
  rule,
  outcome: passes ? 'passes' : 'stops',
  reason: passes ? yes : no,
});
const stops = (rule: Rule, reason: string): NotificationStep => ({
  rule,
  outcome: 'stops',
  reason,
});
const info = (rule: Rule, reason: string): NotificationStep => ({ rule, outcome: 'info', reason });
