const types = (resource: string, ...changes: string[]) =>
  changes.map((change) => `${resource}.${change}`);

/** All event types. `eventTypes` in features/index.ts describes them; importing it here would be circular. */
export const EVENT_TYPES: ReadonlySet<string> = new Set([
  ...types('comment_annotation', 'add', 'delete', 'subscribe', 'unsubscribe', 'assign'),
  ...types('comment_annotation', 'approve', 'accept', 'reject', 'status_change'),
  ...types('comment_annotation', 'priority_change', 'access_mode_change', 'custom_list_change'),
  ...types('comment_annotation', 'suggestion_accept', 'suggestion_reject'),
  ...types('comment', 'add', 'update', 'delete', 'reaction_add', 'reaction_delete'),
  ...types('crdt', 'update_data'),
  ...types('recording', 'add', 'delete'),
  ...types('attachment', 'add', 'delete'),
  ...types('notification', 'add'),
  ...types('presence', 'update'),
  ...types('organization', 'add', 'update', 'delete'),
  ...types('folder', 'add', 'update', 'delete'),
  ...types('document', 'add', 'update', 'delete', 'move'),
  ...types('user', 'add', 'update', 'delete'),
  ...types('user_group', 'add', 'update', 'delete'),
  ...types('permission', 'add', 'remove'),
  ...types('memory', 'alert'),
  ...types('rewriter', 'usage'),
  ...types('endpoint', 'disabled'),
]);
