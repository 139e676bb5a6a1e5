import { useMemo, useSyncExternalStore } from 'react';
import type { InboxInput, Live, PresenceInput, ThreadsInput } from '../core.ts';
import { liveInScope, type Scope } from '../scope.ts';
import { useScope } from './collaboration.tsx';

interface ReadOptions {
  /** Suspends the component during the first read, and throws if that read fails. */
  suspense?: boolean | undefined;
}

/**
 * Follows a live value of the core, which is created again when its input changes.
 *
 * @param options.rendered the value on a server, and in a browser while it hydrates the page. By default, it is the
 * initial value: the current one may already be newer than the server's. With `suspense`, it is the value that was read.
 * @returns the current value
 */
function useLive<Input, Value>(
  make: (scope: Scope, input: Input) => Live<Value>,
  input: Input,
  { suspense = false, rendered }: ReadOptions & { rendered?: NoInfer<Value> } = {},
): Value {
  const scope = useScope();
  const inputKey = JSON.stringify(input);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the input
  const live = useMemo(() => make(scope, input), [make, scope, inputKey]);
  const value = useSyncExternalStore(
    live.subscribe,
    live.get,
    () => rendered ?? (suspense ? live.get() : live.initial()),
  );
  const reading = suspense ? live.load() : undefined;
  // React waits for a thrown promise.
  if (reading !== undefined) throw reading;
  return value;
}

export interface ThreadsOptions extends ThreadsInput, ReadOptions {}

/** The comment threads of the document, live. */
export const useThreads = ({ suspense, ...input }: ThreadsOptions = {}) =>
  useLive(liveInScope.threads, input, { suspense });

/** One thread, live. `thread` is undefined while the thread is loading, and if it does not exist. */
export const useThread = (annotationId: string, options: ReadOptions = {}) =>
  useLive(liveInScope.thread, annotationId, options);

/** The user's access to the document (`role`, `canComment` and `canWrite`), live. */
export const useAccess = () => useLive(liveInScope.access, undefined);

/** The inbox to show. By default, its organization is that of the nearest provider. */
export interface InboxOptions extends Partial<InboxInput>, ReadOptions {}

/** The user's notifications, live. */
export const useInbox = ({ suspense, ...input }: InboxOptions = {}) =>
  useLive(liveInScope.inbox, input, { suspense });

/** How many notifications the user has not read, live; 0 until the number is known. */
export const useUnreadCount = ({ organizationId }: Pick<InboxOptions, 'organizationId'> = {}) =>
  useLive(liveInScope.unreadCount, { organizationId });

export type PresenceOptions = PresenceInput;

/** The users who are in the document, live. The current user is one of them while a component uses this hook. */
export const usePresence = ({ status }: PresenceOptions = {}) =>
  useLive(liveInScope.presence, status);

/** Users by their ids. All ids that are requested at the same moment share a call. */
export const useUsers = (userIds: string[]) => useLive(liveInScope.users, userIds);

/** The members of the organization, at most 1000, to choose from for mentions and assignments. */
export const useMembers = () => useLive(liveInScope.members, undefined);

/** The user of the token; undefined until it is known. */
export const useSelf = () => useLive(liveInScope.self, undefined);

export interface NotificationSettingsOptions extends ReadOptions {
  /** The organization; by default that of the nearest provider. */
  organizationId?: string | undefined;
  /** The settings for this document; by default those for the whole organization. */
  documentId?: string | undefined;
}

/** The user's notification settings for the inbox and for email: `ALL`, `MINE` or `NONE`. */
export const useNotificationSettings = ({ suspense, ...input }: NotificationSettingsOptions = {}) =>
  useLive(liveInScope.notificationSettings, input, { suspense });

/** The status of the connection over which changes arrive: `connected`, `offline`, and others. */
export const useConnectionStatus = () =>
  useLive(liveInScope.connectionStatus, undefined, { rendered: 'idle' });
