import type { DocumentRef } from './core/collaboration.ts';
import * as core from './core.ts';
import type { CollaborationClient } from './create-client.ts';

/** The client, organization and document for a part of a page, as the components around that part set them. */
export interface Scope {
  client?: CollaborationClient | undefined;
  organizationId?: string | undefined;
  documentId?: string | undefined;
}

/** Functions that create the live values of the core, for the hooks of every framework. */
export const liveInScope = {
  threads: (scope: Scope, input: core.ThreadsInput) =>
    core.liveThreads(clientOf(scope), { ...input, ...documentOf(scope) }),
  thread: (scope: Scope, annotationId: string) =>
    core.liveThread(clientOf(scope), { ...documentOf(scope), annotationId }),
  access: (scope: Scope) => core.liveAccess(clientOf(scope), documentOf(scope)),
  inbox: (scope: Scope, input: Partial<core.InboxInput>) =>
    core.liveInbox(clientOf(scope), { ...input, ...organizationOf(scope, input) }),
  unreadCount: (scope: Scope, input: Partial<core.InboxInput> = {}) =>
    core.liveUnreadCount(clientOf(scope), organizationOf(scope, input)),
  presence: (scope: Scope, status?: string) =>
    core.livePresence(clientOf(scope), { ...documentOf(scope), status }),
  users: (scope: Scope, userIds: string[]) =>
    core.liveUsers(clientOf(scope), { ...organizationOf(scope), userIds }),
  members: (scope: Scope) => core.liveMembers(clientOf(scope), organizationOf(scope)),
  self: (scope: Scope) => core.liveSelf(clientOf(scope), organizationOf(scope)),
  notificationSettings: (scope: Scope, input: Partial<DocumentRef>) =>
    core.liveNotificationSettings(clientOf(scope), { ...input, ...organizationOf(scope, input) }),
  connectionStatus: (scope: Scope) => core.liveConnection(clientOf(scope)),
};

export const actionsInScope = (scope: Scope): core.ThreadActions =>
  core.threadActions(clientOf(scope), documentOf(scope));

export const markReadInScope = (scope: Scope) => core.markRead(clientOf(scope), inboxOf(scope));

/** @throws if no client is set */
export const clientOf = ({ client }: Scope): CollaborationClient => requireSet(client, 'client');

/** The given organization, or else the one of the scope. @throws if neither is set */
export const organizationOf = (
  { organizationId }: Scope,
  given: { organizationId?: string | undefined } = {},
): { organizationId: string } => ({
  organizationId: requireSet(given.organizationId ?? organizationId, 'organizationId'),
});

/** The organization of an inbox, and the document of the scope if one is set. @throws if no organization is set */
export const inboxOf = (scope: Scope, given: { organizationId?: string | undefined } = {}) => ({
  ...organizationOf(scope, given),
  documentId: scope.documentId,
});

/** @throws if no document is set */
export const documentOf = (scope: Scope): DocumentRef => ({
  ...organizationOf(scope),
  documentId: requireSet(scope.documentId, 'documentId'),
});

function requireSet<Value>(value: Value | undefined, name: string): Value {
  if (value !== undefined) return value;
  throw new TypeError(`${name} is not set: a component around this one must set it.`);
}
