'use client';

export type {
  Comment,
  CommentAnnotation as Annotation,
  Notification,
  Presence,
  User,
} from '../api/contract.ts';
export type {
  CommentChoice,
  CommentDraft,
  CommentEdit,
  NewReply,
  NewSuggestion,
  NewThread,
  ReactionChange,
  StatusChange,
  SuggestionChoice,
} from './core/inputs.ts';
export type { AccessNow } from './core/live-access.ts';
export type { InboxNow } from './core/live-inbox.ts';
export type { PresenceNow } from './core/live-presence.ts';
export type { NotificationSettings, NotificationSettingsNow } from './core/live-settings.ts';
export type { ThreadsNow } from './core/live-threads.ts';
export type { ReadMark } from './core/mark-read.ts';
export { type SuggestedEdit, suggestionOf } from './core/suggestion.ts';
export type { Thread, ThreadComment, ThreadFilters } from './core/thread.ts';
export type { Users } from './core/users.ts';
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
export { useAccess } from './react/use-access.ts';
export { useConnectionStatus } from './react/use-connection-status.ts';
export { type EditorNow, useEditor } from './react/use-editor.ts';
export { type InboxOptions, useInbox, useUnreadCount } from './react/use-inbox.ts';
export { useMarkRead } from './react/use-mark-read.ts';
export {
  type NotificationSettingsOptions,
  useNotificationSettings,
} from './react/use-notification-settings.ts';
export { type PresenceOptions, usePresence } from './react/use-presence.ts';
export { useSelf } from './react/use-self.ts';
export { useThread } from './react/use-thread.ts';
export {
  useAcceptSuggestion,
  useCreateThread,
  useDeleteComment,
  useDeleteThread,
  useEditComment,
  useReaction,
  useRejectSuggestion,
  useReply,
  useSetStatus,
  useSuggestEdit,
} from './react/use-thread-writes.ts';
export { type ThreadsOptions, useThreads } from './react/use-threads.ts';
export { useMembers, useUsers } from './react/use-users.ts';
export type { WriteHook } from './react/use-write.ts';
