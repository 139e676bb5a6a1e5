import type {
  CommentChoice,
  CommentEdit,
  NewReply,
  NewSuggestion,
  NewThread,
  ReactionChange,
  StatusChange,
  SuggestionChoice,
} from '../core/inputs.ts';
import {
  acceptSuggestion,
  createThread,
  deleteComment,
  deleteThread,
  editComment,
  react,
  rejectSuggestion,
  reply,
  setStatus,
  suggestEdit,
} from '../core/thread-actions.ts';
import { type WriteHook, writeHook } from './use-write.ts';

/** Starts a thread: `mutate({ text, mentions, location })`. Resolves to its id. */
export const useCreateThread: () => WriteHook<NewThread, string> = writeHook(createThread);

/** Adds a comment to a thread: `mutate({ annotationId, text, mentions })`. Resolves to its id. */
export const useReply: () => WriteHook<NewReply, number> = writeHook(reply);

/** Changes the text of one's own comment: `mutate({ annotationId, commentId, text, mentions })`. */
export const useEditComment: () => WriteHook<CommentEdit, void> = writeHook(editComment);

/** Deletes one's own comment: `mutate({ annotationId, commentId })`. Its thread stays. */
export const useDeleteComment: () => WriteHook<CommentChoice, void> = writeHook(deleteComment);

/** Deletes a thread of one's own with all its comments: `mutate({ annotationId })`. */
export const useDeleteThread: () => WriteHook<{ annotationId: string }, void> =
  writeHook(deleteThread);

/** Reacts to a comment, or takes a reaction back: `mutate({ annotationId, commentId, icon })`. */
export const useReaction: () => WriteHook<ReactionChange, void> = writeHook(react);

/** Changes the status of a thread: `mutate({ annotationId, status: 'RESOLVED' })`. */
export const useSetStatus: () => WriteHook<StatusChange, void> = writeHook(setStatus);

/**
 * Suggests an edit: `mutate({ editorId, ...passageOf(anchor), replacement })`. Resolves to the id of its
 * thread.
 */
export const useSuggestEdit: () => WriteHook<NewSuggestion, string> = writeHook(suggestEdit);

/**
 * Applies a suggestion to the text: `mutate({ annotationId, editorId })`. If the text has changed,
 * `error.details.present` is the text that is there now.
 */
export const useAcceptSuggestion: () => WriteHook<SuggestionChoice, void> =
  writeHook(acceptSuggestion);

/** Leaves the text as it is: `mutate({ annotationId, editorId })`. */
export const useRejectSuggestion: () => WriteHook<SuggestionChoice, void> =
  writeHook(rejectSuggestion);
