'use client';

export type {
  Comment,
  CommentAnnotation as Annotation,
  Notification,
  Presence,
  User,
} from '../api/contract.ts';
export {
  CollaborationProvider,
  type CollaborationProviderProps,
  DocumentProvider,
  type DocumentProviderProps,
  useClient,
} from './react/collaboration.tsx';
export { CommentView } from './react/components/comment-view.tsx';
export { Composer, type ComposerProps } from './react/components/composer.tsx';
export { Inbox, type InboxProps } from './react/components/inbox.tsx';
export type {
  CommentViewProps,
  CustomProps,
  Labels,
  NotificationViewProps,
  Parts,
  ThreadViewProps,
} from './react/components/parts.ts';
export { Threads, type ThreadsProps, ThreadView } from './react/components/threads.tsx';
export type {
  CommentChoice,
  CommentDraft,
  CommentEdit,
  NewReply,
  NewThread,
  ReactionChange,
  StatusChange,
} from './react/inputs.ts';
export { useSelf } from './react/self.ts';
export type { Thread, ThreadComment, ThreadFilters } from './react/thread.ts';
export { useConnectionStatus } from './react/use-connection-status.ts';
export { type EditorNow, useEditor } from './react/use-editor.ts';
export { type InboxNow, type InboxOptions, useInbox, useUnreadCount } from './react/use-inbox.ts';
export { type ReadMark, useMarkRead } from './react/use-mark-read.ts';
export {
  type NotificationSettings,
  type NotificationSettingsNow,
  type NotificationSettingsOptions,
  useNotificationSettings,
} from './react/use-notification-settings.ts';
export { type PresenceNow, type PresenceOptions, usePresence } from './react/use-presence.ts';
export { useThread } from './react/use-thread.ts';
export {
  useCreateThread,
  useDeleteComment,
  useDeleteThread,
  useEditComment,
  useReaction,
  useReply,
  useSetStatus,
} from './react/use-thread-writes.ts';
export { type ThreadsNow, type ThreadsOptions, useThreads } from './react/use-threads.ts';
export { type Users, useMembers, useUsers } from './react/use-users.ts';
export type { WriteHook } from './react/use-write.ts';
