import { type ComponentType, createContext, useContext, useMemo } from 'react';
import type { Notification, User } from '../../../api/contract.ts';
import type { Thread, ThreadComment } from '../../core/thread.ts';

export interface ThreadViewProps {
  thread: Thread;
}

export interface CommentViewProps {
  thread: Thread;
  comment: ThreadComment;
}

export interface NotificationViewProps {
  notification: Notification;
  /** Marks the notification as read, and opens it. */
  open(): void;
}

/** Your own components, which replace those of this package. */
export interface Parts {
  Avatar?: ComponentType<{ user: User }> | undefined;
  /** The text of a comment. Sanitize its `commentHtml` before you show it. */
  CommentBody?: ComponentType<{ comment: ThreadComment }> | undefined;
  /** The attachments of a comment. */
  Attachments?: ComponentType<{ comment: ThreadComment }> | undefined;
  Comment?: ComponentType<CommentViewProps> | undefined;
  Thread?: ComponentType<ThreadViewProps> | undefined;
  Notification?: ComponentType<NotificationViewProps> | undefined;
}

const LABELS = {
  threads: 'Comments',
  noThreads: 'No comments yet.',
  newComment: 'There is a new comment.',
  /** Shown before the text of an unsent reply. */
  lostReply: 'The thread that you were replying to is no longer here. You had written:',
  dismiss: 'Dismiss',
  loading: 'Loading…',
  more: 'Show more',
  newThread: 'Write a comment',
  reply: 'Reply',
  send: 'Send',
  bold: 'Bold',
  italic: 'Italic',
  code: 'Code',
  attach: 'Attach files',
  removeFile: 'Remove',
  offline: 'You are offline. What you write will be sent when the connection is back.',
  signedOut: 'You are signed out. Sign in to continue.',
  retry: 'Try again',
  accept: 'Accept',
  reject: 'Reject',
  accepted: 'Accepted',
  rejected: 'Rejected',
  /** Shown before the current text, if a suggestion can no longer be applied to it. */
  presentText: 'The text is now:',
  resolve: 'Resolve',
  reopen: 'Reopen',
  addReaction: 'Add a reaction',
  people: 'People to mention',
  edited: 'edited',
  edit: 'Edit',
  editComment: 'Edit the comment',
  save: 'Save',
  cancel: 'Cancel',
  delete: 'Delete',
  deleteComment: 'Delete this comment?',
  deleteThread: 'Delete this thread?',
  inbox: 'Inbox',
  noNotifications: 'Nothing new.',
  unread: 'unread',
  readAll: 'Mark all as read',
};

/** The texts of the components. Replace them for another language. */
export type Labels = typeof LABELS;

export interface CustomProps {
  components?: Parts | undefined;
  labels?: Partial<Labels> | undefined;
}

const CustomizationContext = createContext<CustomProps>({});
export const CustomizationProvider = CustomizationContext.Provider;

/** Reports a failed deletion to the list of threads: the view of the comment, which was removed, cannot show it. */
export const DeletionFailureContext = createContext<(failure: Error | null) => void>(() => {});

/** Gives a refused reply back through the list of threads, if its thread has left the list. */
export const LostReplyContext = createContext<(reply: { annotationId: string }) => void>(() => {});

export const useParts = (): Parts => useContext(CustomizationContext).components ?? {};

export const useLabels = (): Labels => ({ ...LABELS, ...useContext(CustomizationContext).labels });

/** Merges the props of a component with those of the components around it. */
export function useCustomization({ components, labels }: CustomProps): CustomProps {
  const outer = useContext(CustomizationContext);
  return useMemo(
    () => ({
      components: { ...outer.components, ...components },
      labels: { ...outer.labels, ...labels },
    }),
    [outer, components, labels],
  );
}
