/** What happens to comments, as activity, notifications, e-mail and basic webhooks name it. */
const COMMENT_TRIGGERS = [
  ...['newlyAdded', 'added', 'updated', 'deleted', 'approved', 'assigned', 'reactionAdded'],
  ...['reactionDeleted', 'statusChanged', 'priorityChanged', 'accessModeChanged', 'accepted'],
  ...['rejected', 'suggestionAccepted', 'suggestionRejected', 'customListChanged', 'subscribed'],
  'unsubscribed',
];

/** Every comment trigger on: what `setDefault…Triggers` seeds (specification 4.1). */
export const DEFAULT_TRIGGERS = {
  comment: Object.fromEntries(COMMENT_TRIGGERS.map((trigger) => [trigger, true])),
};
