import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Thread, ThreadComment } from '../../core/thread.ts';
import { useSelf } from '../live-hooks.ts';
import { useLabels } from './parts.ts';
import { useDraftStore } from './use-draft-store.ts';

interface ThreadsShown {
  threads: Thread[];
}

/**
 * Announces each new comment of another user to screen readers, while the list is shown. Its text is not
 * repeated: a page would then have it twice.
 */
export function NewComment({ threads }: ThreadsShown): ReactNode {
  const labels = useLabels();
  const newest = newestComment(threads, useSelf()?.userId);
  const [first] = useState(newest);
  const [last, setLast] = useState(newest);
  if (newest && newest.createdAt > (last?.createdAt ?? 0)) setLast(newest);
  return (
    <p className="collab-hidden" role="status">
      {last && last !== first && (
        // The element of another comment is another one, so each is announced.
        <span key={last.createdAt}>{labels.newComment}</span>
      )}
    </p>
  );
}

const newestComment = (threads: Thread[], selfId: string | undefined) =>
  threads
    .flatMap(({ comments }) => comments)
    .filter(({ from }) => from.userId !== selfId)
    .reduce<ThreadComment | undefined>(
      (newest, each) => (newest && newest.createdAt >= each.createdAt ? newest : each),
      undefined,
    );

/** Shows the unsent reply to a thread that has left the list, such as one that somebody else has deleted. */
export function LostReply({ threads }: ThreadsShown): ReactNode {
  const labels = useLabels();
  const drafts = useDraftStore();
  const shown = useRef(threads);
  const [lost, setLost] = useState({ annotationId: '', text: '' });
  const isShown = (id: string) => threads.some(({ annotationId }) => annotationId === id);
  useEffect(() => {
    for (const { annotationId } of shown.current) {
      const text = isShown(annotationId) ? '' : drafts?.read(annotationId).text;
      if (text) setLost({ annotationId, text });
    }
    shown.current = threads;
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
