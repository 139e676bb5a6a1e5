import { type ReactNode, useContext, useId, useRef, useState } from 'react';
import { useAccess, useSelf } from '../live-hooks.ts';
import { useDeleteComment, useDeleteThread, useEditComment } from '../write-hooks.ts';
import { AttachmentList } from './attachments.tsx';
import { CommentText, editableTextOf, nameOf } from './comment-text.tsx';
import { type CommentViewProps, DeletionFailureContext, useLabels, useParts } from './parts.ts';
import { Reactions } from './reactions.tsx';
import { Ago, DefaultAvatar } from './small-parts.tsx';
import { type Draft, TextForm } from './text-form.tsx';
import { EMPTY_TEXT, useDraftStore, type WrittenText } from './use-draft-store.ts';

/** A comment: its author, time, text and reactions. Its author can edit and delete it. */
export function CommentView({ thread, comment }: CommentViewProps): ReactNode {
  const { Avatar = DefaultAvatar } = useParts();
  const labels = useLabels();
  const { canComment } = useAccess();
  const isOwn = useSelf()?.userId === comment.from.userId && canComment;
  const { from, createdAt, status, isPending = false } = comment;
  return (
    <div className="collab collab-comment" data-pending={isPending}>
      <Avatar user={from} />
      <div className="collab-main">
        <strong>{nameOf(from)}</strong> <Ago at={createdAt} />
        {status === 'updated' && <span className="collab-time"> ({labels.edited})</span>}
        {isOwn ? (
          <OwnContent thread={thread} comment={comment} />
        ) : (
          <Content thread={thread} comment={comment} />
        )}
      </div>
    </div>
  );
}

function Content({
  thread,
  comment,
  children,
}: CommentViewProps & { children?: ReactNode }): ReactNode {
  const { CommentBody = CommentText, Attachments = AttachmentList } = useParts();
  // A comment that the server has not stored yet has no lasting id, so it has no actions.
  const isStored = comment.commentId > 0 && !thread.isPending;
  return (
    <>
      <CommentBody comment={comment} />
      <Attachments comment={comment} />
      {isStored && (
        <div className="collab-actions">
          <Reactions thread={thread} comment={comment} />
          {children}
        </div>
      )}
    </>
  );
}

/** The content of the user's own comment, or the field in which the user edits it. */
function OwnContent({ thread, comment }: CommentViewProps): ReactNode {
  const labels = useLabels();
  const { annotationId } = thread;
  const { commentId } = comment;
  const { mutateAsync: edit, error } = useEditComment();
  const drafts = useDraftStore();
  const field = JSON.stringify([annotationId, commentId]);
  const saveDraft = (written: WrittenText) => drafts?.write(field, written);
  const [draft, setDraft] = useState<WrittenText | undefined>(() => {
    const stored = drafts?.read(field);
    return stored?.text ? stored : undefined;
  });
  /** Whether the user has opened or closed the field, so that the focus goes to what replaces the focused element. */
  const movesFocus = useRef(false);
  const show = (shown: WrittenText | undefined) => {
    movesFocus.current = true;
    setDraft(shown);
  };
  if (draft) {
    const send = async (changed: Draft, written: WrittenText) => {
      show(undefined);
      await edit({ annotationId, commentId, ...changed }).catch(() => {
        saveDraft(written);
        show(written);
      });
    };
    const cancel = () => {
      saveDraft(EMPTY_TEXT);
      show(undefined);
    };
    return (
      <TextForm
        label={labels.editComment}
        submitLabel={labels.save}
        rows={2}
        initial={() => draft}
        saveDraft={saveDraft}
        autoFocus={movesFocus.current}
        error={error}
        send={send}
        onCancel={cancel}
      />
    );
  }
  const focusAfterEdit = (button: HTMLButtonElement | null) => {
    if (!button || !movesFocus.current) return;
    button.focus();
    movesFocus.current = false;
  };
  const startEdit = () =>
    show({ text: editableTextOf(comment), mentions: comment.taggedUserContacts });
  return (
    <Content thread={thread} comment={comment}>
      <button ref={focusAfterEdit} type="button" className="collab-quiet" onClick={startEdit}>
        {labels.edit}
      </button>
      <DeleteButton thread={thread} comment={comment} />
    </Content>
  );
}

/** A button that asks the user, and then deletes the comment, or the whole thread if it has no other comment. */
function DeleteButton({ thread, comment }: CommentViewProps): ReactNode {
  const labels = useLabels();
  const button = useRef<HTMLButtonElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const questionId = useId();
  const report = useContext(DeletionFailureContext);
  const { mutateAsync: deleteComment } = useDeleteComment();
  const { mutateAsync: deleteThread } = useDeleteThread();
  const { annotationId, from, comments } = thread;
  const { commentId } = comment;
  const deletesThread = comments.length === 1 && from.userId === comment.from.userId;
  const confirmDeletion = () => {
    // The focused button is about to vanish, so the focus moves to a field that remains.
    const remaining = button.current?.closest(deletesThread ? '.collab-threads' : '.collab-thread');
    dialog.current?.close();
    remaining?.querySelector('textarea')?.focus();
    report(null);
    const deleted = deletesThread
      ? deleteThread({ annotationId })
      : deleteComment({ annotationId, commentId });
    deleted.catch(report);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="collab-quiet"
        onClick={() => dialog.current?.showModal()}
      >
        {labels.delete}
      </button>
      <dialog ref={dialog} className="collab-dialog" aria-labelledby={questionId}>
        <p id={questionId}>{deletesThread ? labels.deleteThread : labels.deleteComment}</p>
        <button type="button" onClick={() => dialog.current?.close()}>
          {labels.cancel}
        </button>{' '}
        <button type="button" className="collab-danger" onClick={confirmDeletion}>
          {labels.delete}
        </button>
      </dialog>
    </>
  );
}
