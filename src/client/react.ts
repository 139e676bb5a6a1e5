'use client';

export type {
  Comment,
  CommentAnnotation as Annotation,
  Notification,
  Presence,
  User,
} from '../api/contract.ts';
export {
  type AccessNow,
  type CommentChoice,
  type CommentDraft,
  type CommentEdit,
  type InboxNow,
  type NewReply,
  type NewSuggestion,
  type NewThread,
  type NotificationSettings,
  type NotificationSettingsNow,
  type PresenceNow,
  type ReactionChange,
  type ReadMark,
  type StatusChange,
  type SuggestedEdit,
  type SuggestionChoice,
  suggestionOf,
  type Thread,
  type ThreadComment,
  type ThreadFilters,
  type ThreadsNow,
  type Users,
} from './core.ts';
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
export {
  type InboxOptions,
  type NotificationSettingsOptions,
  type PresenceOptions,
  type ThreadsOptions,
  useAccess,
  useConnectionStatus,
  useInbox,
  useMembers,
  useNotificationSettings,
  usePresence,
  useSelf,
  useThread,
  useThreads,
  useUnreadCount,
  useUsers,
} from './react/live-hooks.ts';
export { type EditorNow, useEditor } from './react/use-editor.ts';
export {
  useAcceptSuggestion,
  useCreateThread,
  useDeleteComment,
  useDeleteThread,
  useEditComment,
  useMarkRead,
  useReaction,
  useRejectSuggestion,
  useReply,
  useSetStatus,
  useSuggestEdit,
  type WriteHook,
} from './react/write-hooks.ts';
