import type { ActivityServiceConfig } from './settings/schema.ts';

/** The name of an event as a trigger, and in the log (specification 2.5). */
interface Trigger {
  feature: string;
  trigger: string;
}

/** The comment triggers (decisions section 5) by event type (section 7). */
const COMMENT_TRIGGERS: Record<string, string> = {
  'comment_annotation.add': 'newlyAdded',
  'comment_annotation.delete': 'deleted',
  'comment_annotation.status_change': 'statusChanged',
  'comment_annotation.assign': 'assigned',
  'comment_annotation.priority_change': 'priorityChanged',
  'comment_annotation.access_mode_change': 'accessModeChanged',
  'comment_annotation.custom_list_change': 'customListChanged',
  'comment_annotation.approve': 'approved',
  'comment_annotation.accept': 'accepted',
  'comment_annotation.reject': 'rejected',
  'comment_annotation.subscribe': 'subscribed',
  'comment_annotation.unsubscribe': 'unsubscribed',
  'comment_annotation.suggestion_accept': 'suggestionAccepted',
  'comment_annotation.suggestion_reject': 'suggestionRejected',
  'comment.add': 'added',
  'comment.update': 'updated',
  'comment.delete': 'deleted',
  'comment.reaction_add': 'reactionAdded',
  'comment.reaction_delete': 'reactionDeleted',
};

/** Other types are split: `document.add` is the trigger `add` of `document`. */
export function triggerOf(eventType: string): Trigger {
  const comment = COMMENT_TRIGGERS[eventType];
  if (comment !== undefined) return { feature: 'comment', trigger: comment };
  const [feature = '', ...rest] = eventType.split('.');
  return { feature, trigger: rest.join('.') };
}

export function isRecorded(config: ActivityServiceConfig, { feature, trigger }: Trigger): boolean {
  const ofFeature = Object.entries(config.triggers ?? {}).find(([name]) => name === feature)?.[1];
  return config.isEnabled && Object.entries(ofFeature ?? {}).some(([n, on]) => n === trigger && on);
}
