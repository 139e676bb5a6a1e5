import type { UnreadCount, User } from '../api/contract.ts';
import type { ConnectionStatus } from './connection.ts';
import type { Place } from './core/collaboration.ts';
import { type Live, liveConnection } from './core/live.ts';
import { type AccessNow, liveAccess } from './core/live-access.ts';
import { type InboxInput, type InboxNow, liveInbox, liveUnreadCount } from './core/live-inbox.ts';
import { livePresence, type PresenceNow } from './core/live-presence.ts';
import { liveNotificationSettings, type NotificationSettingsNow } from './core/live-settings.ts';
import { liveThread, type ThreadNow } from './core/live-thread.ts';
import { liveThreads, type ThreadsInput, type ThreadsNow } from './core/live-threads.ts';
import { liveSelf } from './core/self.ts';
import { type ThreadActions, threadActions } from './core/thread-actions.ts';
import { liveMembers, liveUsers, type Users } from './core/users.ts';
import type { CollaborationClient } from './create-client.ts';
import { watchPage } from './watch-page.ts';

/** The client, organization and document that a part of a page is about. */
export interface Setting {
  client?: CollaborationClient;
  organizationId?: string;
  documentId?: string;
}

export const liveBySetting = {
  threads: (setting: Setting, input: ThreadsInput): Live<ThreadsNow> =>
    liveThreads(clientOf(setting), { ...input, ...placeOf(setting) }),
  thread: (setting: Setting, annotationId: string): Live<ThreadNow> =>
    liveThread(clientOf(setting), { ...placeOf(setting), annotationId }),
  access: (setting: Setting): Live<AccessNow> => liveAccess(clientOf(setting), placeOf(setting)),
  inbox: (setting: Setting, input: Partial<InboxInput>): Live<InboxNow> =>
    liveInbox(clientOf(setting), { ...organizationOf(setting), ...input }),
  unreadCount: (setting: Setting): Live<UnreadCount> =>
    liveUnreadCount(clientOf(setting), organizationOf(setting)),
  presence: (setting: Setting, status: string | undefined): Live<PresenceNow> =>
    livePresence(clientOf(setting), { ...placeOf(setting), status, watch: watchPage }),
  users: (setting: Setting, userIds: string[]): Live<Users> =>
    liveUsers(clientOf(setting), { ...organizationOf(setting), userIds }),
  members: (setting: Setting): Live<Users> =>
    liveMembers(clientOf(setting), organizationOf(setting)),
  self: (setting: Setting): Live<User | undefined> =>
    liveSelf(clientOf(setting), organizationOf(setting)),
  notificationSettings: (
    setting: Setting,
    documentId: string | undefined,
  ): Live<NotificationSettingsNow> =>
    liveNotificationSettings(clientOf(setting), { ...organizationOf(setting), documentId }),
  connectionStatus: (setting: Setting): Live<ConnectionStatus> => liveConnection(clientOf(setting)),
};

export const actionsBySetting = (setting: Setting): ThreadActions =>
  threadActions(clientOf(setting), placeOf(setting));

function clientOf({ client }: Setting): CollaborationClient {
  if (client) return client;
  throw new TypeError('Name the client, in a component around this one.');
}

function organizationOf({ organizationId }: Setting): { organizationId: string } {
  if (organizationId !== undefined) return { organizationId };
  throw new TypeError('Name the organizationId, in a component around this one.');
}

function placeOf({ documentId, ...setting }: Setting): Place {
  if (documentId !== undefined) return { ...organizationOf(setting), documentId };
  throw new TypeError('Name the documentId, in a component around this one.');
}
