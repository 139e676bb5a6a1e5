import { z } from 'zod';
import { isTypo, lettersOf } from '../../api/body/spelling.ts';
import { checkFreeJson } from '../../api/fields.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { FREE_JSON, jsonProblem } from '../../platform/json.ts';

/** The comment triggers, by event type. */
const COMMENT_TRIGGER_BY_EVENT: Record<string, string> = {
  'comment_annotation.add': 'newlyAdded',
  'comment.add': 'added',
  'comment.update': 'updated',
  'comment.delete': 'deleted',
  'comment_annotation.delete': 'deleted',
  'comment_annotation.approve': 'approved',
  'comment_annotation.assign': 'assigned',
  'comment.reaction_add': 'reactionAdded',
  'comment.reaction_delete': 'reactionDeleted',
  'comment_annotation.status_change': 'statusChanged',
  'comment_annotation.priority_change': 'priorityChanged',
  'comment_annotation.access_mode_change': 'accessModeChanged',
  'comment_annotation.accept': 'accepted',
  'comment_annotation.reject': 'rejected',
  'comment_annotation.suggestion_accept': 'suggestionAccepted',
  'comment_annotation.suggestion_reject': 'suggestionRejected',
  'comment_annotation.custom_list_change': 'customListChanged',
  'comment_annotation.subscribe': 'subscribed',
  'comment_annotation.unsubscribe': 'unsubscribed',
};
const COMMENT_TRIGGERS = [...new Set(Object.values(COMMENT_TRIGGER_BY_EVENT))];

const UNKNOWN_TRIGGER = `is not a comment trigger. Comment triggers are: ${COMMENT_TRIGGERS.join(', ')}`;

/** The features whose events are triggers. Misspelt names are compared with these. */
// biome-ignore format: one line for each feature is too long
const FEATURES = [
  'comment', 'document', 'folder', 'organization', 'permission', 'recording', 'notification',
  'attachment', 'presence',
];
/** Names that mean comment annotations, whose triggers belong to the feature `comment`. */
const ANNOTATION_NAMES = /^commentannotations?$/;

/** Returns the feature that a name probably means. */
function guessFeature(name: string): string | undefined {
  const letters = lettersOf(name);
  return ANNOTATION_NAMES.test(letters)
    ? 'comment'
    : FEATURES.find((feature) => feature === letters || isTypo(letters, feature));
}

const triggerName = z
  .string()
  .regex(
    /^[a-z][\w.-]{0,99}$/i,
    'must begin with a letter, and have at most 100 letters, digits, _, . or -',
  );

/**
 * Whether each trigger is enabled, by feature and name (specification 2.5). Misspelt features and unknown
 * comment triggers are refused: they would have no effect, and nobody would notice.
 */
export const triggers = z
  .record(triggerName, z.record(triggerName, z.boolean()))
  .superRefine((value, check) => {
    for (const name of Object.keys(value.comment ?? {})) {
      if (!COMMENT_TRIGGERS.includes(name)) {
        check.addIssue({ code: 'custom', path: ['comment', name], message: UNKNOWN_TRIGGER });
      }
    }
    for (const name of Object.keys(value)) {
      const meant = FEATURES.includes(name) ? undefined : guessFeature(name);
      if (meant === undefined) continue;
      const message = `is not a feature with triggers. Did you mean ${meant}?`;
      check.addIssue({ code: 'custom', path: [name], message });
    }
    checkFreeJson(value, check);
  })
  .meta({
    description: `Whether each trigger is on, by feature and name. The triggers of \`comment\` are: ${COMMENT_TRIGGERS.join(', ')}.`,
    properties: {
      comment: {
        type: 'object',
        properties: Object.fromEntries(COMMENT_TRIGGERS.map((name) => [name, { type: 'boolean' }])),
        additionalProperties: false,
      },
    },
  });
export type Triggers = z.infer<typeof triggers>;

/** Returns the trigger of an event type, such as the trigger `add` of the feature `document` for `document.add`. */
export function triggerOf(eventType: string): { feature: string; trigger: string } {
  const commentTrigger = COMMENT_TRIGGER_BY_EVENT[eventType];
  if (commentTrigger !== undefined) return { feature: 'comment', trigger: commentTrigger };
  const [feature = '', ...rest] = eventType.split('.');
  return { feature, trigger: rest.join('.') };
}

/** Whether the trigger of the event type is on. */
export function isTriggerOn(triggers: Triggers, eventType: string): boolean {
  const { feature, trigger } = triggerOf(eventType);
  return triggers[feature]?.[trigger] ?? false;
}

/** All comment triggers, enabled, as `setDefaultEmailTriggers` sets them (specification 4.1). */
export const DEFAULT_TRIGGERS: Triggers = {
  comment: Object.fromEntries(COMMENT_TRIGGERS.map((trigger) => [trigger, true])),
};

/**
 * Merges `changes` into the triggers of `base`.
 *
 * @throws INVALID_ARGUMENT when the merged triggers are too large to store
 */
export function mergeTriggers(base: Triggers, changes: Triggers): Triggers {
  const changed = Object.entries(changes).map(([feature, featureChanges]) => [
    feature,
    { ...base[feature], ...featureChanges },
  ]);
  const merged: Triggers = { ...base, ...Object.fromEntries(changed) };
  const problem = jsonProblem(merged, FREE_JSON);
  if (problem)
    throw invalidArgument(`triggers: merged with the stored triggers, the result ${problem}.`);
  return merged;
}
