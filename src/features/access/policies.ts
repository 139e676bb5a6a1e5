import type { NeededRole } from '../../api/fields.ts';
import type { AuthLevel } from '../../api/operation-meta.ts';

/**
 * The policy of the whole product: who may call which operation. The rules themselves are
 * implemented by `api/procedures.ts` (credentials) and by each operation (`requireAccess`,
 * `requireOwnUserId`, …). `test/contract/policies.test.ts` calls every operation with every kind of
 * credentials, and fails when this file and the server disagree or an operation is missing here.
 *
 * An API key may do everything with the data of its own tenant, and nothing with another's. What a
 * role allows on a resource is decided by `decideAccess` in `access.ts`.
 */
export interface Policy {
  /** The credentials that the operation takes: the administrator's, a workspace's, an API key's. */
  level: AuthLevel;
  /** The condition for user tokens. Absent: user tokens are refused. */
  user?: UserRule;
}

interface UserRule {
  /** The role that is needed on the document, folder or organization that the call names. */
  role?: NeededRole;
  /**
   * A limit beyond the role. `author`: the user changes only content that the user has written. `self`:
   * the user acts only in the user's own name; a call that names another user is refused, or applied
   * to the user of the token. `setting`: the API key must have `allowUserRewrites`.
   */
  limit?: 'author' | 'self' | 'setting';
}

const admin: Policy = { level: 'admin' };
const workspace: Policy = { level: 'workspace' };
const apiKey: Policy = { level: 'apiKey' };

const users = (role?: NeededRole, limit?: UserRule['limit']): Policy => ({
  level: 'apiKey',
  user: { ...(role && { role }), ...(limit && { limit }) },
});
const readers = users('viewer');
const readersAsThemselves = users('viewer', 'self');
const commenters = users('commenter');
const commentersAsThemselves = users('commenter', 'self');
const commentAuthors = users('commenter', 'author');
const editors = users('editor');
const editorsAsThemselves = users('editor', 'self');
const authors = users('editor', 'author');
const everybodyAsThemselves = users(undefined, 'self');
const everybodyWhereEnabled = users(undefined, 'setting');

/** The same policy for several operations. */
const each = (policy: Policy, ...operations: string[]): Record<string, Policy> =>
  Object.fromEntries(operations.map((operation) => [operation, policy]));

/** Policies by resource and operation, as typed clients name them. */
export const policies: Record<string, Record<string, Policy>> = {
  workspaces: { ...each(admin, 'create', 'update'), ...each(workspace, 'get', 'resetToken') },
  apiKeys: each(workspace, 'create', 'get', 'update'),
  authTokens: each(workspace, 'get', 'reset'),
  quotas: each(admin, 'get', 'update'),

  apiKeyConfig: each(apiKey, 'get', 'update'),
  domains: each(apiKey, 'get', 'add', 'delete'),
  emailConfig: each(apiKey, 'get', 'update'),
  webhookConfig: each(apiKey, 'get', 'update'),
  activityConfig: each(apiKey, 'get', 'update'),
  notificationConfig: each(apiKey, 'get', 'update'),
  advancedWebhookConfig: each(apiKey, 'get', 'update'),

  auth: {
    ...each(apiKey, 'generateToken', 'revokeTokens'),
    generateStreamTicket: everybodyAsThemselves,
  },
  permissions: { get: everybodyAsThemselves, ...each(apiKey, 'add', 'remove', 'explain') },
  organizations: {
    ...each(apiKey, 'add', 'get', 'update', 'delete', 'export', 'import', 'transferStatus'),
  },
  folders: each(apiKey, 'add', 'get', 'update', 'delete'),
  documents: each(apiKey, 'add', 'get', 'update', 'delete', 'move', 'updateAccess'),
  users: { get: readers, ...each(apiKey, 'add', 'update', 'delete') },
  userGroups: each(apiKey, 'add', 'get', 'delete', 'addUsers', 'deleteUsers'),

  crdt: { get: readers, ...each(editors, 'add', 'update', 'replaceRange', 'delete') },
  'crdt.versions': { list: readers, ...each(editors, 'create', 'restore') },
  commentAnnotations: {
    ...each(readers, 'get', 'getGrouped', 'count'),
    ...each(readersAsThemselves, 'subscribe', 'unsubscribe', 'read'),
    add: commentersAsThemselves,
    update: commenters,
    delete: commentAuthors,
  },
  comments: {
    ...each(readers, 'get', 'changes'),
    add: commentersAsThemselves,
    ...each(commentAuthors, 'update', 'delete'),
  },
  reactions: each(commentersAsThemselves, 'add', 'delete'),
  suggestions: { add: commentersAsThemselves, ...each(editors, 'accept', 'reject') },
  presence: {
    ...each(readers, 'get', 'changes'),
    ...each(readersAsThemselves, 'add', 'update', 'delete'),
  },
  recordings: { get: readers, add: editorsAsThemselves, delete: authors },
  attachments: { get: readers, ...each(commenters, 'createUpload', 'complete', 'delete') },
  activities: each(apiKey, 'add', 'get', 'export', 'verify'),

  notifications: {
    ...each(apiKey, 'add', 'delete', 'explain'),
    ...each(everybodyAsThemselves, 'get', 'update', 'unreadCount', 'changes'),
  },
  'notifications.config': each(readersAsThemselves, 'get', 'set'),
  rewriter: { askAi: apiKey, stream: everybodyWhereEnabled },
  userData: { get: everybodyAsThemselves, ...each(apiKey, 'delete', 'deleteStatus') },

  'memory.judgments': each(apiKey, 'add', 'query'),
  'memory.alerts': each(apiKey, 'list', 'dismiss'),
  'memory.alerts.config': each(apiKey, 'get', 'update'),
  memory: each(apiKey, 'search', 'suggest'),
  events: { get: apiKey },
  webhookEndpoints: each(apiKey, 'create', 'get', 'update', 'delete', 'recover'),
  'webhookEndpoints.secret': each(apiKey, 'get', 'rotate'),
  webhookDeliveries: each(apiKey, 'get', 'resend'),
};
