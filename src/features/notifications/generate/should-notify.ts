import { triggerOf } from '../../activity/event-triggers.ts';
import { answerOf, type Status } from '../../comments/statuses.ts';
import type { NotificationConfig } from '../settings/schema.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import { audienceOf } from './audience.ts';

/** Whether the key's triggers select the event, and it has an audience. */
export function shouldNotify(
  { triggers }: Pick<NotificationConfig, 'triggers'>,
  event: AnnotationEvent,
): boolean {
  return isTriggered({ triggers }, event) && audienceOf(event).length > 0;
}

/** Whether the key's triggers select the event. */
export function isTriggered(
  { triggers }: Pick<NotificationConfig, 'triggers'>,
  event: AnnotationEvent,
): boolean {
  const isOn = (type: string) => triggers.comment?.[triggerOf(type).trigger] ?? false;
  return isOn(event.type) && !isCoveredByAnswer(event, isOn);
}

/** A status that is an answer publishes an event of its own, which notifies instead. */
function isCoveredByAnswer(
  { type, data }: AnnotationEvent,
  isOn: (type: string) => boolean,
): boolean {
  if (type !== 'comment_annotation.status_change') return false;
  if (data.previous?.status?.id === data.status.id) return false;
  const answer = answerOf(data.status as Status);
  return answer !== undefined && isOn(`comment_annotation.${answer}`);
}
