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
import { actionsBySetting, liveBySetting, markReadBySetting, type Setting } from './setting.ts';

/** A value of Vue that is kept up to date while its component is mounted. */
export interface LiveRef<Value> extends Readonly<ShallowRef<Value>> {}

const KEY = Symbol('collaboration') as unknown as InjectionKey<Setting>;

const settingNow = (): Setting => inject(KEY, {});

/**
 * Names the client, the organization or the document for all components below this one; what is
 * left out is as the components above have named it. Give a component a `key` of the document's id, so
 * that it starts over with another document.
 */
export const provideCollaboration = (setting: Setting): void =>
  provide(KEY, { ...settingNow(), ...setting });

/** The comment threads of the document, live. */
export const useThreads = (input: MaybeRefOrGetter<ThreadsInput> = {}) =>
  useLive((setting) => liveBySetting.threads(setting, toValue(input)));

/** One thread, live. */
export const useThread = (annotationId: MaybeRefOrGetter<string>) =>
  useLive((setting) => liveBySetting.thread(setting, toValue(annotationId)));

/** Writes to the document's threads; each is shown at once. */
export const useThreadActions = (): ThreadActions => actionsBySetting(settingNow());

/** Marks notifications as read, or threads of the document; shown at once. */
export const useMarkRead = () => markReadBySetting(settingNow());

/** The rights of the user in the document (`role`, `canComment` and `canWrite`), live. */
export const useAccess = () => useLive(liveBySetting.access);

/** The user's notifications, live. */
export const useInbox = (input: MaybeRefOrGetter<Partial<InboxInput>> = {}) =>
  useLive((setting) => liveBySetting.inbox(setting, toValue(input)));

/** How many notifications the user has not read, live. */
export const useUnreadCount = () => useLive(liveBySetting.unreadCount);

/** The users in the document, live. The user is present while the component is mounted. */
export const usePresence = (status: MaybeRefOrGetter<string | undefined> = undefined) =>
  useLive((setting) => liveBySetting.presence(setting, toValue(status)));

/** Users by their ids. */
export const useUsers = (userIds: MaybeRefOrGetter<string[]>) =>
  useLive((setting) => liveBySetting.users(setting, toValue(userIds)));

/** The members of the organization, at most 1000. */
export const useMembers = () => useLive(liveBySetting.members);

/** The user of the token; undefined until it is known. */
export const useSelf = () => useLive(liveBySetting.self);

/** The user's notification settings, for the organization or for one document. */
export const useNotificationSettings = (
  documentId: MaybeRefOrGetter<string | undefined> = undefined,
) =>
  useLive((setting) =>
    liveBySetting.notificationSettings(setting, { documentId: toValue(documentId) }),
  );

/** Whether changes arrive. */
export const useConnectionStatus = () => useLive(liveBySetting.connectionStatus);

/** A server mounts nothing, so it renders the current value without following it. */
function useLive<Value>(make: (setting: Setting) => Live<Value>): LiveRef<Value> {
  const setting = settingNow();
  const live = computed(() => make(setting));
  const value = shallowRef(live.value.get()) as ShallowRef<Value>;
  const follow = (now: Live<Value>, _old: unknown, onCleanup: (end: () => void) => void) =>
    onCleanup(
      now.subscribe((latest) => {
        value.value = latest;
      }),
    );
  onMounted(() => watch(live, follow, { immediate: true }));
  return value;
}

export type { AccessNow, ThreadActions } from './core.ts';
