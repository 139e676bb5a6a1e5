import { StrictMode, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient } from '../../src/client/index.ts';
import {
  CollaborationProvider,
  DocumentProvider,
  useConnectionStatus,
  useCreateThread,
  useDeleteComment,
  useDeleteThread,
  useEditComment,
  useInbox,
  usePresence,
  useReaction,
  useReply,
  useSetStatus,
  useThread,
  useThreads,
} from '../../src/client/react.ts';

/** A page with the hooks alone, which shows what they give. */

function ThreadView({ annotationId }: { annotationId: string }) {
  const { thread } = useThread(annotationId);
  const reply = useReply();
  const edit = useEditComment();
  const deleteComment = useDeleteComment();
  const deleteThread = useDeleteThread();
  const react = useReaction();
  const setStatus = useSetStatus();
  if (!thread) return null;
  const { comments, status } = thread;
  const first = comments[0];
  const choice = { annotationId, commentId: first?.commentId ?? 0 };
  return (
    <li data-status={status.id} data-pending={thread.isPending ?? false}>
      {comments.map((comment) => (
        <p key={comment.commentId}>
          {comment.commentText}
          {comment.reactionAnnotations.map(({ icon, fromUsers }) => `${icon}${fromUsers.length}`)}
        </p>
      ))}
      <button type="button" onClick={() => reply.mutate({ annotationId, text: 'A reply' })}>
        Reply
      </button>
      <button
        type="button"
        onClick={() =>
          first && react.mutate({ annotationId, commentId: first.commentId, icon: '👍' })
        }
      >
        React
      </button>
      <button type="button" onClick={() => edit.mutate({ ...choice, text: 'Edited' })}>
        Edit
      </button>
      <button type="button" onClick={() => deleteComment.mutate(choice)}>
        Delete
      </button>
      <button type="button" onClick={() => deleteThread.mutate({ annotationId })}>
        Drop
      </button>
      <button type="button" onClick={() => setStatus.mutate({ annotationId, status: 'RESOLVED' })}>
        Resolve
      </button>
    </li>
  );
}

function ThreadsView() {
  const { threads } = useThreads({ suspense: true, pageSize: 10 });
  const open = useThreads({ statusIds: ['OPEN'], pageSize: 10 });
  const { mutate } = useCreateThread();
  return (
    <section>
      <output aria-label="open">{open.threads.length}</output>
      <ul>
        {threads.map(({ annotationId }) => (
          <ThreadView key={annotationId} annotationId={annotationId} />
        ))}
      </ul>
      <button type="button" onClick={() => mutate({ text: 'A thread' })}>
        Create
      </button>
    </section>
  );
}

function PeopleView() {
  const { self, others } = usePresence();
  return (
    <p>
      <output aria-label="self">{self?.status}</output>
      <output aria-label="others">{others.map(({ userId }) => userId).join()}</output>
    </p>
  );
}

/** Shows nothing, and follows the inbox. */
function InboxView() {
  useInbox();
  return null;
}

function Page() {
  const [isShown, show] = useState(true);
  const status = useConnectionStatus();
  return (
    <main>
      <output aria-label="connection">{status}</output>
      <button type="button" onClick={() => show(!isShown)}>
        Toggle
      </button>
      {isShown && (
        <Suspense fallback="Loading">
          <ThreadsView />
          <PeopleView />
          <InboxView />
        </Suspense>
      )}
    </main>
  );
}

const { url, token, documentId } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const client = createClient({ url, token });

createRoot(document.body.appendChild(document.createElement('div'))).render(
  <StrictMode>
    <CollaborationProvider client={client} organizationId="acme">
      <DocumentProvider documentId={documentId}>
        <Page />
      </DocumentProvider>
    </CollaborationProvider>
  </StrictMode>,
);
