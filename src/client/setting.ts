import type { Place } from './core/collaboration.ts';
import type { Announcement } from './core/live-presence.ts';
import * as core from './core.ts';
import type { CollaborationClient } from './create-client.ts';

/** The client, organization and document that a part of a page is about. */
export interface Setting {
  client?: CollaborationClient;
  organizationId?: string;
  documentId?: string;
}

/** The live values of the core, for the hooks of every framework. */
export const liveBySetting = {
  threads: (setting: Setting, input: core.ThreadsInput) =>
    core.liveThreads(clientOf(setting), { ...input, ...placeOf(setting) }),
  thread: (setting: Setting, annotationId: string) =>
    core.liveThread(clientOf(setting), { ...placeOf(setting), annotationId }),
  access: (setting: Setting) => core.liveAccess(clientOf(setting), placeOf(setting)),
  inbox: (setting: Setting, input: Partial<core.InboxInput>) =>
    core.liveInbox(clientOf(setting), { ...input, ...organizationOf(setting, input) }),
  unreadCount: (setting: Setting, input: Partial<core.InboxInput> = {}) =>
    core.liveUnreadCount(clientOf(setting), organizationOf(setting, input)),
  presence: (setting: Setting, status?: string) =>
    core.livePresence(clientOf(setting), { ...placeOf(setting), status, watch: watchPage }),
  users: (setting: Setting, userIds: string[]) =>
    core.liveUsers(clientOf(setting), { ...organizationOf(setting), userIds }),
  members: (setting: Setting) => core.liveMembers(clientOf(setting), organizationOf(setting)),
  self: (setting: Setting) => core.liveSelf(clientOf(setting), organizationOf(setting)),
  notificationSettings: (setting: Setting, input: Partial<Place>) =>
    core.liveNotificationSettings(clientOf(setting), {
      ...input,
      ...organizationOf(setting, input),
    }),
  connectionStatus: (setting: Setting) => core.liveConnection(clientOf(setting)),
};

export const actionsBySetting = (setting: Setting): core.ThreadActions =>
  core.threadActions(clientOf(setting), placeOf(setting));

export const markReadBySetting = (setting: Setting) =>
  core.markRead(clientOf(setting), inboxOf(setting));

/** @throws where no client is named */
export const clientOf = ({ client }: Setting): CollaborationClient => named(client, 'client');

/** The given organization, or that of the setting. @throws where none is named */
export const organizationOf = (
  { organizationId }: Setting,
  given: Partial<Place> = {},
): { organizationId: string } => ({
  organizationId: named(given.organizationId ?? organizationId, 'organizationId'),
});

/** The inbox of the organization, and the document if one is named. @throws where no organization is named */
export const inboxOf = (setting: Setting, given: Partial<Place> = {}) => ({
  ...organizationOf(setting, given),
  documentId: setting.documentId,
});

/** @throws where no document is named */
export const placeOf = (setting: Setting): Place => ({
  ...organizationOf(setting),
  documentId: named(setting.documentId, 'documentId'),
});

function named<Value>(value: Value | undefined, name: string): Value {
  if (value !== undefined) return value;
  throw new TypeError(`Name the ${name}, in a component around this one.`);
}

/** Ends the user's presence when a browser's page is closed, until the signal fires. */
function watchPage(announcement: Announcement, signal: AbortSignal): void {
  addEventListener('pagehide', () => void announcement.pause(), { signal });
  addEventListener('pageshow', ({ persisted }) => persisted && void announcement.renew(), {
    signal,
  });
}
