import { type ReactNode, useState } from 'react';
import { suggestionOf } from '../../core/suggestion.ts';
import { type ThreadsOptions, useAccess, useSelf, useThreads } from '../live-hooks.ts';
import { useSetStatus } from '../write-hooks.ts';
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
import { SuggestionView } from './suggestion-view.tsx';

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
      <ConnectionNotice error={error ?? failure} />
      {!isReadOnly && <Composer />}
      {isLoading && <p role="status">{labels.loading}</p>}
      {!isLoading && !error && threads.length === 0 && (
        <p className="collab-time">{labels.noThreads}</p>
      )}
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
  const { canComment, canWrite } = useAccess();
  const isOwn = useSelf()?.userId === thread.from.userId;
  const { mutate: setStatus } = useSetStatus();
  const { annotationId, from, comments, isPending = false } = thread;
  const isResolved = thread.status.type === 'terminal';
  const suggestion = suggestionOf(thread);
  return (
    <article
      className="collab collab-thread"
      aria-label={nameOf(from)}
      data-status={thread.status.id}
      data-pending={isPending}
    >
      {comments.map((comment) => (
        <Comment key={comment.commentId} thread={thread} comment={comment} />
      ))}
      {suggestion && (
        <SuggestionView
          annotationId={annotationId}
          suggestion={suggestion}
          canDecide={canWrite && !isPending}
        />
      )}
      {!isPending && canComment && (
        <>
          <Composer annotationId={annotationId} />
          {(canWrite || isOwn) && (
            <button
              type="button"
              className="collab-quiet"
              onClick={() => setStatus({ annotationId, status: isResolved ? 'OPEN' : 'RESOLVED' })}
            >
              {isResolved ? labels.reopen : labels.resolve}
            </button>
          )}
        </>
      )}
    </article>
  );
}
