import type { AuthLevel } from '../../api/credentials/auth-level.ts';
import type { NeededRole } from '../../api/fields.ts';

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
   * `author`: the user changes only what the user has written. `self`: the user acts only as this
   * user; a call that names another user is refused, or applied to the user of the token.
   * `setting`: the API key must have `allowUserRewrites`.
   */
  limit?: 'author' | 'self' | 'setting';
}

const admin: Policy = { level: 'admin' };
const workspace: Policy = { level: 'workspace' };
const apiKey: Policy = { level: 'apiKey' };

const readers: Policy = { level: 'apiKey', user: { role: 'viewer' } };
const readersAsThemselves: Policy = { level: 'apiKey', user: { role: 'viewer', limit: 'self' } };
const editors: Policy = { level: 'apiKey', user: { role: 'editor' } };
const editorsAsThemselves: Policy = { level: 'apiKey', user: { role: 'editor', limit: 'self' } };
const commentersAsThemselves: Policy = {
  level: 'apiKey',
  user: { role: 'commenter', limit: 'self' },
};
const commenters: Policy = { level: 'apiKey', user: { role: 'commenter' } };
const commentAuthors: Policy = { level: 'apiKey', user: { role: 'commenter', limit: 'author' } };
const authors: Policy = { level: 'apiKey', user: { role: 'editor', limit: 'author' } };
const everybodyAsThemselves: Policy = { level: 'apiKey', user: { limit: 'self' } };
const everybodyWhereEnabled: Policy = { level: 'apiKey', user: { limit: 'setting' } };

/** Policies by resource and operation, as typed clients name them. */
export const policies: Record<string, Record<string, Policy>> = {
  workspaces: { create: admin, update: admin, get: workspace, resetToken: workspace },
  apiKeys: { create: workspace, get: workspace, update: workspace },
  authTokens: { get: workspace, reset: workspace },
  quotas: { get: admin, update: admin },

  apiKeyConfig: { get: apiKey, update: apiKey },
  domains: { get: apiKey, add: apiKey, delete: apiKey },
  emailConfig: { get: apiKey, update: apiKey },
  webhookConfig: { get: apiKey, update: apiKey },
  activityConfig: { get: apiKey, update: apiKey },
  notificationConfig: { get: apiKey, update: apiKey },
  advancedWebhookConfig: { get: apiKey, update: apiKey },

  auth: {
    ...{ generateToken: apiKey, revokeTokens: apiKey },
    generateStreamTicket: everybodyAsThemselves,
  },
  permissions: { get: everybodyAsThemselves, add: apiKey, remove: apiKey, explain: apiKey },
  organizations: {
    ...{ add: apiKey, get: apiKey, update: apiKey, delete: apiKey },
    ...{ export: apiKey, import: apiKey, transferStatus: apiKey },
  },
  folders: { add: apiKey, get: apiKey, update: apiKey, delete: apiKey },
  documents: {
    ...{ add: apiKey, get: apiKey, update: apiKey, delete: apiKey },
    ...{ move: apiKey, updateAccess: apiKey },
  },
  users: { add: apiKey, get: readers, update: apiKey, delete: apiKey },
  userGroups: {
    ...{ add: apiKey, get: apiKey, delete: apiKey },
    ...{ addUsers: apiKey, deleteUsers: apiKey },
  },

  crdt: {
    ...{ get: readers, add: editors, update: editors, replaceRange: editors, delete: editors },
  },
  'crdt.versions': { list: readers, create: editors, restore: editors },
  commentAnnotations: {
    ...{ get: readers, getGrouped: readers, count: readers },
    add: commentersAsThemselves,
    ...{ update: commenters, delete: commentAuthors },
    subscribe: readersAsThemselves,
    unsubscribe: readersAsThemselves,
    read: readersAsThemselves,
  },
  comments: {
    ...{ get: readers, changes: readers },
    add: commentersAsThemselves,
    ...{ update: commentAuthors, delete: commentAuthors },
  },
  reactions: { add: commentersAsThemselves, delete: commentersAsThemselves },
  suggestions: { add: commentersAsThemselves, accept: editors, reject: editors },
  presence: {
    ...{ get: readers, changes: readers },
    add: readersAsThemselves,
    update: readersAsThemselves,
    delete: readersAsThemselves,
  },
  recordings: { get: readers, add: editorsAsThemselves, delete: authors },
  attachments: {
    ...{ createUpload: commenters, complete: commenters },
    ...{ get: readers, delete: commenters },
  },
  activities: { add: apiKey, get: apiKey, export: apiKey, verify: apiKey },

  notifications: {
    ...{ add: apiKey, delete: apiKey, explain: apiKey },
    get: everybodyAsThemselves,
    update: everybodyAsThemselves,
    unreadCount: everybodyAsThemselves,
    changes: everybodyAsThemselves,
  },
  'notifications.config': { get: readersAsThemselves, set: readersAsThemselves },
  rewriter: { askAi: apiKey, stream: everybodyWhereEnabled },
  userData: { get: everybodyAsThemselves, delete: apiKey, deleteStatus: apiKey },

  'memory.judgments': { add: apiKey, query: apiKey },
  'memory.alerts': { list: apiKey, dismiss: apiKey },
  'memory.alerts.config': { get: apiKey, update: apiKey },
  memory: { search: apiKey, suggest: apiKey },
  events: { get: apiKey },
  webhookEndpoints: {
    ...{ create: apiKey, get: apiKey, update: apiKey, delete: apiKey, recover: apiKey },
  },
  'webhookEndpoints.secret': { get: apiKey, rotate: apiKey },
  webhookDeliveries: { get: apiKey, resend: apiKey },
};
