import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Thread } from '../../core/thread.ts';
import { useSelf } from '../live-hooks.ts';
import { useLabels } from './parts.ts';
import { useDraftStore } from './use-draft-store.ts';

type ThreadsShown = { threads: Thread[] };

/**
 * Announces to screen readers that another user has commented, while the list is shown. The announcement does not
 * repeat the comment, since the page would then have its text twice.
 */
export function NewCommentAnnouncement({ threads }: ThreadsShown): ReactNode {
  const labels = useLabels();
  const newest = newestCommentTime(threads, useSelf()?.userId);
  const [announced, setAnnounced] = useState({ time: newest, isFirst: true });
  if (newest > announced.time) setAnnounced({ time: newest, isFirst: false });
  return (
    <p className="collab-hidden" role="status">
      {/* The key makes a new element for each comment, so that each is announced. */}
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

/** Shows the unsent reply to a thread that has left the list, such as one that somebody else has deleted. */
export function LostReply({ threads }: ThreadsShown): ReactNode {
  const labels = useLabels();
  const drafts = useDraftStore();
  const lastThreads = useRef(threads);
  const [lost, setLost] = useState({ annotationId: '', text: '' });
  const isShown = (id: string) => threads.some(({ annotationId }) => annotationId === id);
  useEffect(() => {
    for (const { annotationId } of lastThreads.current) {
      const text = isShown(annotationId) ? '' : drafts?.read(annotationId).text;
      if (text) setLost({ annotationId, text });
    }
    lastThreads.current = threads;
  });
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
