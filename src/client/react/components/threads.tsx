import { replaceEqualDeep } from '@tanstack/query-core';
import { Fragment, memo, type ReactNode, useState } from 'react';
import { type SuggestedEdit, suggestionOf } from '../../core/suggestion.ts';
import type { Thread } from '../../core/thread.ts';
import { useDocumentRef } from '../collaboration.tsx';
import { type ThreadsOptions, useAccess, useSelf, useThreads } from '../live-hooks.ts';
import { useAcceptSuggestion, useRejectSuggestion, useSetStatus } from '../write-hooks.ts';
import { nameOf } from './comment-text.tsx';
import { CommentView } from './comment-view.tsx';
import { Composer } from './composer.tsx';
import { LostReply, NewCommentAnnouncement } from './list-changes.tsx';
import {
  CustomizationProvider,
  type CustomProps,
  DeletionFailureContext,
  LostReplyContext,
  type ThreadViewProps,
  useCustomization,
  useLabels,
  useParts,
} from './parts.ts';
import { ConnectionNotice, Failure, MoreButton, useFocusFallback } from './small-parts.tsx';

export interface ThreadsProps extends ThreadsOptions, CustomProps {
  /** Hides the field for new threads. */
  isReadOnly?: boolean | undefined;
}

/** The comment threads of the document, with fields for new threads and replies. */
export function Threads({ components, labels, ...props }: ThreadsProps): ReactNode {
  return (
    <CustomizationProvider value={useCustomization({ components, labels })}>
      <ThreadList {...props} />
    </CustomizationProvider>
  );
}

function ThreadList({ isReadOnly = false, ...options }: ThreadsProps): ReactNode {
  const labels = useLabels();
  const documentRef = useDocumentRef();
  const list = useThreads(options);
  const { threads, isLoading, error } = list;
  const [failure, report] = useState<Error | null>(null);
  const [refused, giveBack] = useState({ annotationId: '' });
  return (
    <section className="collab collab-threads" aria-label={labels.threads} tabIndex={-1}>
      <ConnectionNotice error={error ?? failure} />
      {!isLoading && (
        // For another document or other options, the key resets both, so that they do not announce old comments as new.
        <Fragment key={JSON.stringify([documentRef, options])}>
          <NewCommentAnnouncement threads={threads} />
          <LostReply threads={threads} refused={refused} />
        </Fragment>
      )}
      {!isReadOnly && <Composer />}
      {isLoading && <p role="status">{labels.loading}</p>}
      {!isLoading && !error && threads.length === 0 && (
        <p className="collab-time">{labels.noThreads}</p>
      )}
      <DeletionFailureContext.Provider value={report}>
        <LostReplyContext.Provider value={giveBack}>
          <ol>
            {threads.map((thread) => (
              <ThreadItem key={thread.annotationId} thread={thread} />
            ))}
          </ol>
        </LostReplyContext.Provider>
      </DeletionFailureContext.Provider>
      <MoreButton {...list} />
    </section>
  );
}

/** Rendered again only when its thread has changed, since a list may have thousands of threads. */
const ThreadItem = memo(({ thread }: ThreadViewProps): ReactNode => {
  const { Thread = ThreadView } = useParts();
  const ref = useFocusFallback();
  return (
    <li ref={ref}>
      <Thread thread={thread} />
    </li>
  );
});

/** The properties of a thread that its comments show. */
const shownPropertiesOf = ({ annotationId, from, comments, isPending }: Thread) => ({
  annotationId,
  from,
  isPending,
  isSingle: comments.length === 1,
});

/** Whether two values are deeply equal: `replaceEqualDeep` then returns the first of them. */
const isSame = (a: unknown, b: unknown): boolean => replaceEqualDeep(a, b) === a;

/** Rendered again only when the comment has changed: each event brings new objects for the whole thread. */
const StableCommentView = memo(
  CommentView,
  (a, b) =>
    isSame(a.comment, b.comment) &&
    isSame(shownPropertiesOf(a.thread), shownPropertiesOf(b.thread)),
);

/** A thread, with a field for replies. */
export function ThreadView({ thread }: ThreadViewProps): ReactNode {
  const labels = useLabels();
  const { Comment = StableCommentView } = useParts();
  const { canComment, canWrite } = useAccess();
  const isOwn = useSelf()?.userId === thread.from.userId;
  const { mutate: setStatus, error } = useSetStatus();
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
          thread={thread}
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
      <Failure error={error} />
    </article>
  );
}

interface SuggestionViewProps extends ThreadViewProps {
  suggestion: SuggestedEdit;
  /** Whether the user may accept or reject the suggestion. */
  canDecide: boolean;
}

/** A suggested edit, with the decision about it, or with buttons to accept or reject it. */
function SuggestionView({ thread, suggestion, canDecide }: SuggestionViewProps): ReactNode {
  const { editorId, status, parts } = suggestion;
  const decision = { annotationId: thread.annotationId, editorId };
  const labels = useLabels();
  const accept = useAcceptSuggestion();
  const reject = useRejectSuggestion();
  const error = accept.error ?? reject.error;
  const present = error?.details.present;
  return (
    <div className="collab-suggestion">
      {parts.map(({ quote, replacement }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a suggestion never change
        <p className="collab-text" key={at}>
          <del>{quote}</del> {replacement && <ins>{replacement}</ins>}
        </p>
      ))}
      {status === 'accepted' && <p className="collab-time">{labels.accepted}</p>}
      {status === 'rejected' && <p className="collab-time">{labels.rejected}</p>}
      {status === 'pending' && canDecide && (
        <div className="collab-actions">
          <button type="button" className="collab-primary" onClick={() => accept.mutate(decision)}>
            {labels.accept}
          </button>
          <button type="button" onClick={() => reject.mutate(decision)}>
            {labels.reject}
          </button>
        </div>
      )}
      <Failure error={error} />
      {typeof present === 'string' && (
        <p className="collab-notice">
          {labels.presentText} <q>{present}</q>
        </p>
      )}
    </div>
  );
}
