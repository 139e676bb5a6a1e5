import {
  computed,
  type InjectionKey,
  inject,
  type MaybeRefOrGetter,
  onMounted,
  provide,
  type ShallowRef,
  shallowRef,
  toValue,
  watch,
} from 'vue';
import type { InboxInput, Live, ThreadActions, ThreadsInput } from './core.ts';
import { actionsInScope, liveInScope, markReadInScope, type Scope } from './scope.ts';

/** A Vue ref whose value is kept up to date while its component is mounted. */
export interface LiveRef<Value> extends Readonly<ShallowRef<Value>> {}

const KEY = Symbol('collaboration') as unknown as InjectionKey<Scope>;

const currentScope = (): Scope => inject(KEY, {});

/**
 * Sets the client, the organization or the document for all components below this one. A field
 * that is left out keeps the value that a component above has set. Give a component that shows a document the
 * document's id as its `key`, so that it starts over when the document changes.
 */
export const provideCollaboration = (scope: Scope): void =>
  provide(KEY, { ...currentScope(), ...scope });

/** The comment threads of the document, live. */
export const useThreads = (input: MaybeRefOrGetter<ThreadsInput> = {}) =>
  useLive((scope) => liveInScope.threads(scope, toValue(input)));

/** One thread, live. */
export const useThread = (annotationId: MaybeRefOrGetter<string>) =>
  useLive((scope) => liveInScope.thread(scope, toValue(annotationId)));

/** Functions that write to the document's threads. Each write is shown at once. */
export const useThreadActions = (): ThreadActions => actionsInScope(currentScope());

/** Returns a function that marks notifications, or a thread of the document, as read. Notifications show this at once. */
export const useMarkRead = () => markReadInScope(currentScope());

/** The user's access to the document (`role`, `canComment` and `canWrite`), live. */
export const useAccess = () => useLive(liveInScope.access);

/** The user's notifications, live. */
export const useInbox = (input: MaybeRefOrGetter<Partial<InboxInput>> = {}) =>
  useLive((scope) => liveInScope.inbox(scope, toValue(input)));

/** How many notifications the user has not read, live. */
export const useUnreadCount = () => useLive(liveInScope.unreadCount);

/** The users who are in the document, live. The current user is one of them while the component is mounted. */
export const usePresence = (status: MaybeRefOrGetter<string | undefined> = undefined) =>
  useLive((scope) => liveInScope.presence(scope, toValue(status)));

/** Users by their ids. */
export const useUsers = (userIds: MaybeRefOrGetter<string[]>) =>
  useLive((scope) => liveInScope.users(scope, toValue(userIds)));

/** The members of the organization, at most 1000. */
export const useMembers = () => useLive(liveInScope.members);

/** The user of the token; undefined until it is known. */
export const useSelf = () => useLive(liveInScope.self);

/** The user's notification settings, for the organization or for one document. */
export const useNotificationSettings = (
  documentId: MaybeRefOrGetter<string | undefined> = undefined,
) =>
  useLive((scope) => liveInScope.notificationSettings(scope, { documentId: toValue(documentId) }));

/** The status of the connection over which changes arrive. */
export const useConnectionStatus = () => useLive(liveInScope.connectionStatus);

/** Creates a live value as a ref. A server mounts nothing, so it renders the current value without following it. */
function useLive<Value>(make: (scope: Scope) => Live<Value>): LiveRef<Value> {
  const scope = currentScope();
  const live = computed(() => make(scope));
  const value = shallowRef(live.value.get()) as ShallowRef<Value>;
  const follow = (now: Live<Value>, _old: unknown, onCleanup: (cleanUp: () => void) => void) =>
    onCleanup(
      now.subscribe((latest) => {
        value.value = latest;
      }),
    );
  onMounted(() => watch(live, follow, { immediate: true }));
  return value;
}

export type { AccessNow, ThreadActions } from './core.ts';
