import { type ReactNode, useState } from 'react';
import { useAccess } from '../use-access.ts';
import { useSetStatus } from '../use-thread-writes.ts';
import { type ThreadsOptions, useThreads } from '../use-threads.ts';
import { nameOf } from './comment-text.tsx';
import { CommentView } from './comment-view.tsx';
import { Composer } from './composer.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import {
  type CustomProps,
  CustomProvider,
  ReportContext,
  type ThreadViewProps,
  useCustom,
  useLabels,
  useParts,
} from './parts.ts';
import { Failure } from './small-parts.tsx';

export interface ThreadsProps extends ThreadsOptions, CustomProps {
  /** Without a field for new threads. */
  isReadOnly?: boolean;
}

/** The comment threads of the document, with fields to write new ones and replies in. */
export function Threads({ components, labels, ...props }: ThreadsProps): ReactNode {
  return (
    <CustomProvider value={useCustom({ components, labels })}>
      <ThreadList {...props} />
    </CustomProvider>
  );
}

function ThreadList({ isReadOnly = false, ...options }: ThreadsProps): ReactNode {
  const labels = useLabels();
  const { Thread = ThreadView } = useParts();
  const { threads, isLoading, error, hasMore, isFetchingMore, fetchMore } = useThreads(options);
  const [failure, report] = useState<Error | null>(null);
  return (
    <section className="collab collab-threads" aria-label={labels.threads}>
      <ConnectionNotice />
      {!isReadOnly && <Composer />}
      <Failure error={error ?? failure} />
      {isLoading && <p role="status">{labels.loading}</p>}
      {!isLoading && threads.length === 0 && <p className="collab-time">{labels.noThreads}</p>}
      <ReportContext.Provider value={report}>
        <ol>
          {threads.map((thread) => (
            <li key={thread.annotationId}>
              <Thread thread={thread} />
            </li>
          ))}
        </ol>
      </ReportContext.Provider>
      {hasMore && (
        <button type="button" disabled={isFetchingMore} onClick={fetchMore}>
          {labels.more}
        </button>
      )}
    </section>
  );
}

/** A thread, with a field for replies. */
export function ThreadView({ thread }: ThreadViewProps): ReactNode {
  const labels = useLabels();
  const { Comment = CommentView } = useParts();
  const { canComment } = useAccess();
  const { mutate: setStatus } = useSetStatus();
  const { annotationId, from, comments, isPending = false } = thread;
  const isResolved = thread.status.type === 'terminal';
  return (
    <article
      className="collab-thread"
      aria-label={nameOf(from)}
      data-status={thread.status.id}
      data-pending={isPending}
    >
      {comments.map((comment) => (
        <Comment key={comment.commentId} thread={thread} comment={comment} />
      ))}
      {!isPending && canComment && (
        <>
          <Composer annotationId={annotationId} />
          <button
            type="button"
            className="collab-quiet"
            onClick={() => setStatus({ annotationId, status: isResolved ? 'OPEN' : 'RESOLVED' })}
          >
            {isResolved ? labels.reopen : labels.resolve}
          </button>
        </>
      )}
    </article>
  );
}
