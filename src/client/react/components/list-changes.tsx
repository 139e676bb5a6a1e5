import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Thread } from '../../core/thread.ts';
import { useSelf } from '../live-hooks.ts';
import { useLabels } from './parts.ts';
import { useDraftStore } from './use-draft-store.ts';

type ThreadsShown = { threads: Thread[] };

/**
 * Announces to screen readers that another user has commented while the list is shown. The announcement leaves out
 * the text of the comment, so that the text is on the page only once.
 */
export function NewCommentAnnouncement({ threads }: ThreadsShown): ReactNode {
  const labels = useLabels();
  const newest = newestCommentTime(threads, useSelf()?.userId);
  const [announced, setAnnounced] = useState({ time: newest, isFirst: true });
  if (newest > announced.time) setAnnounced({ time: newest, isFirst: false });
  return (
    <p className="collab-hidden" role="status">
      {/* With this key, each new comment makes a new element, which is announced. */}
      {!announced.isFirst && <span key={announced.time}>{labels.newComment}</span>}
    </p>
  );
}

/** When the newest comment of another user was written; 0 if there is none. */
const newestCommentTime = (threads: Thread[], selfId: string | undefined): number =>
  threads
    .flatMap(({ comments }) => comments)
    .filter(({ from }) => from.userId !== selfId)
    .reduce((newest, { createdAt }) => Math.max(newest, createdAt), 0);

/**
 * Shows the user's unsent reply to a thread that has left the list, for example because somebody deleted the thread.
 *
 * @param props.refused the last reply that was refused after its thread had left
 */
export function LostReply({
  threads,
  refused,
}: ThreadsShown & { refused: Pick<Thread, 'annotationId'> }): ReactNode {
  const labels = useLabels();
  const drafts = useDraftStore();
  const lastThreads = useRef(threads);
  const [lost, setLost] = useState({ annotationId: '', text: '' });
  const isShown = (id: string) => threads.some(({ annotationId }) => annotationId === id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `isShown` changes with the threads
  useEffect(() => {
    for (const { annotationId } of [...lastThreads.current, refused]) {
      const text = isShown(annotationId) ? '' : drafts?.read(annotationId).text;
      if (text) setLost({ annotationId, text });
    }
    lastThreads.current = threads;
  }, [threads, refused, drafts]);
  const { annotationId, text } = lost;
  if (text === '' || isShown(annotationId)) return null;
  const dismiss = () => {
    drafts?.write(annotationId, { text: '', mentions: [] });
    setLost({ annotationId, text: '' });
  };
  return (
    <div className="collab-notice" role="status">
      {labels.lostReply} <q className="collab-text">{text}</q>
      <button type="button" onClick={dismiss}>
        {labels.dismiss}
      </button>
    </div>
  );
}
