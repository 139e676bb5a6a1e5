import { getContext, setContext } from 'svelte';
import type { UnreadCount, User } from '../api/contract.ts';
import type { ConnectionStatus } from './connection.ts';
import type {
  AccessNow,
  InboxInput,
  InboxNow,
  Live,
  NotificationSettingsNow,
  PresenceNow,
  ThreadActions,
  ThreadNow,
  ThreadsInput,
  ThreadsNow,
  Users,
} from './core.ts';
import { actionsBySetting, liveBySetting, type Setting } from './setting.ts';

/** A store of Svelte: `$threads` is its value, which is kept up to date while it is used. */
export type LiveStore<Value> = Pick<Live<Value>, 'subscribe'>;

const KEY = Symbol('collaboration');

const settingNow = (): Setting => getContext<Setting | undefined>(KEY) ?? {};

/**
 * Names the client, the organization or the document for this component and all below it. What it does
 * not name stays as a component above has named it. Put what is about a document into a
 * `{#key documentId}` block, so that it starts over with another document.
 */
export const setCollaboration = (setting: Setting): void =>
  void setContext(KEY, { ...settingNow(), ...setting });

/** The comment threads of the document. */
export const useThreads = (input: ThreadsInput = {}): LiveStore<ThreadsNow> =>
  inBrowser(liveBySetting.threads(settingNow(), input));

/** One thread. */
export const useThread = (annotationId: string): LiveStore<ThreadNow> =>
  inBrowser(liveBySetting.thread(settingNow(), annotationId));

/** Writes to the document's threads; each is shown at once. */
export const useThreadActions = (): ThreadActions => actionsBySetting(settingNow());

/** The rights of the user in the document: `role`, `canComment` and `canWrite`. */
export const useAccess = (): LiveStore<AccessNow> => inBrowser(liveBySetting.access(settingNow()));

/** The user's notifications. */
export const useInbox = (input: Partial<InboxInput> = {}): LiveStore<InboxNow> =>
  inBrowser(liveBySetting.inbox(settingNow(), input));

/** How many notifications the user has not read. */
export const useUnreadCount = (): LiveStore<UnreadCount> =>
  inBrowser(liveBySetting.unreadCount(settingNow()));

/** The users in the document. The user is present while somebody uses the store. */
export const usePresence = (status?: string): LiveStore<PresenceNow> =>
  inBrowser(liveBySetting.presence(settingNow(), status));

/** Users by their ids. */
export const useUsers = (userIds: string[]): LiveStore<Users> =>
  inBrowser(liveBySetting.users(settingNow(), userIds));

/** The members of the organization, at most 1000. */
export const useMembers = (): LiveStore<Users> => inBrowser(liveBySetting.members(settingNow()));

/** The user of the token; undefined until it is known. */
export const useSelf = (): LiveStore<User | undefined> =>
  inBrowser(liveBySetting.self(settingNow()));

/** About what the user is notified, in the organization or in one document. */
export const useNotificationSettings = (documentId?: string): LiveStore<NotificationSettingsNow> =>
  inBrowser(liveBySetting.notificationSettings(settingNow(), { documentId }));

/** Whether changes arrive. */
export const useConnectionStatus = (): LiveStore<ConnectionStatus> =>
  inBrowser(liveBySetting.connectionStatus(settingNow()));

/** A server that renders a page takes the value that there is, and follows nothing. */
const inBrowser = <Value>(live: Live<Value>): LiveStore<Value> =>
  typeof document !== 'undefined'
    ? live
    : {
        subscribe: (listener) => {
          listener(live.get());
          return () => {};
        },
      };

export type { AccessNow, ThreadActions } from './core.ts';
