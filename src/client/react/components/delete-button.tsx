import { type ReactNode, useContext, useId, useRef } from 'react';
import { useDeleteComment, useDeleteThread } from '../write-hooks.ts';
import { type CommentViewProps, ReportContext, useLabels } from './parts.ts';

/** Deletes a comment of the user's own after a question; with the last comment, its thread. */
export function DeleteButton({ thread, comment }: CommentViewProps): ReactNode {
  const labels = useLabels();
  const button = useRef<HTMLButtonElement>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const question = useId();
  const report = useContext(ReportContext);
  const { mutateAsync: deleteComment } = useDeleteComment();
  const { mutateAsync: deleteThread } = useDeleteThread();
  const { annotationId, from, comments } = thread;
  const { commentId } = comment;
  const isThread = comments.length === 1 && from.userId === comment.from.userId;
  const deleteIt = () => {
    // The button is about to vanish with its focus.
    const stays = button.current?.closest(isThread ? '.collab-threads' : '.collab-thread');
    dialog.current?.close();
    stays?.querySelector('textarea')?.focus();
    report(null);
    const deleted = isThread
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
      <dialog ref={dialog} className="collab-dialog" aria-labelledby={question}>
        <p id={question}>{isThread ? labels.deleteThread : labels.deleteComment}</p>
        <button type="button" onClick={() => dialog.current?.close()}>
          {labels.cancel}
        </button>{' '}
        <button type="button" className="collab-danger" onClick={deleteIt}>
          {labels.delete}
        </button>
      </dialog>
    </>
  );
}
