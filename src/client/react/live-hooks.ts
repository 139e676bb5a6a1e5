import { useMemo, useSyncExternalStore } from 'react';
import type { InboxInput, Live, PresenceInput, ThreadsInput } from '../core.ts';
import { liveBySetting, type Setting } from '../setting.ts';
import { useSetting } from './collaboration.tsx';

interface ReadOptions {
  /** Suspends instead of `isLoading`, and throws what would be `error` before there is anything to show. */
  suspense?: boolean;
}

/**
 * Returns the current value of a live value of the core, which is created again when its input changes.
 *
 * @param options.rendered what servers render, if parts of a page may be hydrated once it has changed
 */
function useLive<Input, Value>(
  make: (setting: Setting, input: Input) => Live<Value>,
  input: Input,
  { suspense = false, rendered }: ReadOptions & { rendered?: NoInfer<Value> } = {},
): Value {
  const setting = useSetting();
  const name = JSON.stringify(input);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name stands for the input
  const live = useMemo(() => make(setting, input), [make, setting, name]);
  const value = useSyncExternalStore(live.subscribe, live.get, () => rendered ?? live.get());
  const reading = suspense ? live.load() : undefined;
  // React waits for a thrown promise.
  if (reading !== undefined) throw reading;
  return value;
}

export interface ThreadsOptions extends ThreadsInput, ReadOptions {}

/** The comment threads of the document, live. */
export const useThreads = ({ suspense, ...input }: ThreadsOptions = {}) =>
  useLive(liveBySetting.threads, input, { suspense });

/** One thread, live. `thread` is undefined while it is loading, and when there is none. */
export const useThread = (annotationId: string, options: ReadOptions = {}) =>
  useLive(liveBySetting.thread, annotationId, options);

/** The user's access to the document (`role`, `canComment` and `canWrite`), live. */
export const useAccess = () => useLive(liveBySetting.access, undefined);

/** By default, the organization is that of the nearest provider. */
export interface InboxOptions extends Partial<InboxInput>, ReadOptions {}

/** The user's notifications, live. */
export const useInbox = ({ suspense, ...input }: InboxOptions = {}) =>
  useLive(liveBySetting.inbox, input, { suspense });

/** How many notifications the user has not read, live; 0 until it is known. */
export const useUnreadCount = ({ organizationId }: Pick<InboxOptions, 'organizationId'> = {}) =>
  useLive(liveBySetting.unreadCount, { organizationId });

export type PresenceOptions = Pick<PresenceInput, 'status'>;

/** The users in the document, live. The user is present while a component uses this hook. */
export const usePresence = ({ status }: PresenceOptions = {}) =>
  useLive(liveBySetting.presence, status);

/** Users by their ids. All ids requested at one moment share a call. */
export const useUsers = (userIds: string[]) => useLive(liveBySetting.users, userIds);

/** The members of the organization, at most 1000, for whom to mention or assign. */
export const useMembers = () => useLive(liveBySetting.members, undefined);

/** The user of the token; undefined until it is known. */
export const useSelf = () => useLive(liveBySetting.self, undefined);

export interface NotificationSettingsOptions extends ReadOptions {
  /** By default, that of the nearest provider. */
  organizationId?: string;
  /** The settings for this document; by default those for the whole organization. */
  documentId?: string;
}

/** The user's notification settings for the inbox and for e-mail: `ALL`, `MINE` or `NONE`. */
export const useNotificationSettings = ({ suspense, ...input }: NotificationSettingsOptions = {}) =>
  useLive(liveBySetting.notificationSettings, input, { suspense });

/** Whether changes arrive: `connected`, `connecting`, or `idle` while nothing is followed. */
export const useConnectionStatus = () =>
  useLive(liveBySetting.connectionStatus, undefined, { rendered: 'idle' });
