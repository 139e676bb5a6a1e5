export type * from './core/inputs.ts';
export { type Live, liveConnection } from './core/live.ts';
export { type AccessNow, liveAccess } from './core/live-access.ts';
export { type InboxInput, type InboxNow, liveInbox, liveUnreadCount } from './core/live-inbox.ts';
export { livePresence, type PresenceInput, type PresenceNow } from './core/live-presence.ts';
export {
  liveNotificationSettings,
  type NotificationSettings,
  type NotificationSettingsNow,
} from './core/live-settings.ts';
export {
  liveThread,
  liveThreads,
  type ThreadNow,
  type ThreadsInput,
  type ThreadsNow,
} from './core/live-threads.ts';
export { markRead, type ReadMark } from './core/mark-read.ts';
export { liveSelf } from './core/self.ts';
export { type SuggestedEdit, suggestionOf } from './core/suggestion.ts';
export type { Thread, ThreadComment, ThreadFilters } from './core/thread.ts';
export { type ThreadActions, threadActions } from './core/thread-actions.ts';
export { type UploadOptions, uploadFile } from './core/upload.ts';
export { liveMembers, liveUsers, type Users } from './core/users.ts';
