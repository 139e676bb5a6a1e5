import { getContext, setContext } from 'svelte';
import type { InboxInput, Live, ThreadActions, ThreadsInput } from './core.ts';
import { actionsInScope, liveInScope, markReadInScope, type Scope } from './scope.ts';

/** A Svelte store: `$threads` is its value, which is kept up to date while the store is used. */
export type LiveStore<Value> = Pick<Live<Value>, 'subscribe'>;

const KEY = Symbol('collaboration');

const currentScope = (): Scope => getContext<Scope | undefined>(KEY) ?? {};

/**
 * Sets the client, the organization or the document for this component and all below it. A field
 * that is left out keeps the value that a component above has set. Put the parts that show a document into a
 * `{#key documentId}` block, so that they start over when the document changes.
 */
export const setCollaboration = (scope: Scope): void =>
  void setContext(KEY, { ...currentScope(), ...scope });

/** The comment threads of the document. */
export const useThreads = (input: ThreadsInput = {}) => useLive(liveInScope.threads, input);

/** One thread. */
export const useThread = (annotationId: string) => useLive(liveInScope.thread, annotationId);

/** Functions that write to the document's threads. Each write is shown at once. */
export const useThreadActions = (): ThreadActions => actionsInScope(currentScope());

/** Returns a function that marks notifications, or a thread of the document, as read. The inbox shows this at once. */
export const useMarkRead = () => markReadInScope(currentScope());

/** The user's access to the document: `role`, `canComment` and `canWrite`. */
export const useAccess = () => useLive(liveInScope.access, undefined);

/** The user's notifications. */
export const useInbox = (input: Partial<InboxInput> = {}) => useLive(liveInScope.inbox, input);

/** How many notifications the user has not read. */
export const useUnreadCount = () => useLive(liveInScope.unreadCount, undefined);

/** The users who are in the document. The current user is one of them while the store is used. */
export const usePresence = (status?: string) => useLive(liveInScope.presence, status);

/** Users by their ids. */
export const useUsers = (userIds: string[]) => useLive(liveInScope.users, userIds);

/** The members of the organization, at most 1000. */
export const useMembers = () => useLive(liveInScope.members, undefined);

/** The user of the token; undefined until it is known. */
export const useSelf = () => useLive(liveInScope.self, undefined);

/** The user's notification settings, for the organization or for one document. */
export const useNotificationSettings = (documentId?: string) =>
  useLive(liveInScope.notificationSettings, { documentId });

/** The status of the connection over which changes arrive. */
export const useConnectionStatus = () => useLive(liveInScope.connectionStatus, undefined);

/** Creates a live value as a store. A server renders the current value without following it. */
function useLive<Input, Value>(
  make: (scope: Scope, input: Input) => Live<Value>,
  input: Input,
): LiveStore<Value> {
  const live = make(currentScope(), input);
  if (typeof document !== 'undefined') return live;
  return {
    subscribe: (listener) => {
      listener(live.get());
      return () => {};
    },
  };
}

export type { AccessNow, ThreadActions } from './core.ts';
