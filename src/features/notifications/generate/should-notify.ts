import { triggerOf } from '../../activity/event-triggers.ts';
import { answerOf, type Status } from '../../comments/statuses.ts';
import type { NotificationConfig } from '../settings/schema.ts';
import type { AnnotationEvent } from './annotation-event.ts';
import { audienceOf } from './audience.ts';

/** Whether somebody may have to be notified of an event, by the key's triggers and by its callers. */
export function shouldNotify(
  { triggers }: Pick<NotificationConfig, 'triggers'>,
  event: AnnotationEvent,
): boolean {
  const isOn = (type: string) => triggers.comment?.[triggerOf(type).trigger] ?? false;
  return isOn(event.type) && !isCoveredByAnswer(event, isOn) && audienceOf(event).length > 0;
}

/** A new status that is an answer is told by an event of its own as well: once is enough. */
function isCoveredByAnswer(
  { type, data }: AnnotationEvent,
  isOn: (type: string) => boolean,
): boolean {
  if (type !== 'comment_annotation.status_change') return false;
  if (data.previous?.status?.id === data.status.id) return false;
  const answer = answerOf(data.status as Status);
  return answer !== undefined && isOn(`comment_annotation.${answer}`);
}
