import { getContext, setContext } from 'svelte';
import type { InboxInput, Live, ThreadActions, ThreadsInput } from './core.ts';
import { actionsBySetting, liveBySetting, markReadBySetting, type Setting } from './setting.ts';

/** A store of Svelte: `$threads` is its value, which is kept up to date while it is used. */
export type LiveStore<Value> = Pick<Live<Value>, 'subscribe'>;

const KEY = Symbol('collaboration');

const settingNow = (): Setting => getContext<Setting | undefined>(KEY) ?? {};

/**
 * Names the client, the organization or the document for this component and all below it; what is left
 * out is as the components above have named it. Put the parts that show a document into a
 * `{#key documentId}` block, so that they start over with another document.
 */
export const setCollaboration = (setting: Setting): void =>
  void setContext(KEY, { ...settingNow(), ...setting });

/** The comment threads of the document. */
export const useThreads = (input: ThreadsInput = {}) => useLive(liveBySetting.threads, input);

/** One thread. */
export const useThread = (annotationId: string) => useLive(liveBySetting.thread, annotationId);

/** Writes to the document's threads; each is shown at once. */
export const useThreadActions = (): ThreadActions => actionsBySetting(settingNow());

/** Marks notifications as read, or threads of the document; shown at once. */
export const useMarkRead = () => markReadBySetting(settingNow());

/** The rights of the user in the document: `role`, `canComment` and `canWrite`. */
export const useAccess = () => useLive(liveBySetting.access, undefined);

/** The user's notifications. */
export const useInbox = (input: Partial<InboxInput> = {}) => useLive(liveBySetting.inbox, input);

/** How many notifications the user has not read. */
export const useUnreadCount = () => useLive(liveBySetting.unreadCount, undefined);

/** The users in the document. The user is present while somebody uses the store. */
export const usePresence = (status?: string) => useLive(liveBySetting.presence, status);

/** Users by their ids. */
export const useUsers = (userIds: string[]) => useLive(liveBySetting.users, userIds);

/** The members of the organization, at most 1000. */
export const useMembers = () => useLive(liveBySetting.members, undefined);

/** The user of the token; undefined until it is known. */
export const useSelf = () => useLive(liveBySetting.self, undefined);

/** The user's notification settings, for the organization or for one document. */
export const useNotificationSettings = (documentId?: string) =>
  useLive(liveBySetting.notificationSettings, { documentId });

/** Whether changes arrive. */
export const useConnectionStatus = () => useLive(liveBySetting.connectionStatus, undefined);

/** A server renders the current value without following it. */
function useLive<Input, Value>(
  make: (setting: Setting, input: Input) => Live<Value>,
  input: Input,
): LiveStore<Value> {
  const live = make(settingNow(), input);
  if (typeof document !== 'undefined') return live;
  return {
    subscribe: (listener) => {
      listener(live.get());
      return () => {};
    },
  };
}

export type { AccessNow, ThreadActions } from './core.ts';
