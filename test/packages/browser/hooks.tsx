import type { CollaborationClient } from 'collaboration-client';
import {
  CollaborationProvider,
  DocumentProvider,
  useCreateThread,
  useInbox,
  usePresence,
  useThreads,
} from 'collaboration-client/react';

interface Props {
  client: CollaborationClient;
  place: { organizationId: string; documentId: string };
  userId: string;
}

/** Threads, the inbox and people of a document, by the hooks. */
export function HooksPage({ client, place: { organizationId, documentId }, userId }: Props) {
  return (
    <CollaborationProvider client={client} organizationId={organizationId}>
      <DocumentProvider documentId={documentId}>
        <Comments documentId={documentId} userId={userId} />
      </DocumentProvider>
    </CollaborationProvider>
  );
}

function Comments({ documentId, userId }: { documentId: string; userId: string }) {
  const { threads } = useThreads();
  const { notifications } = useInbox({ documentId });
  const { self, others } = usePresence();
  const { mutate: createThread } = useCreateThread();
  const draft = { text: `${userId} asks`, mentions: [{ userId: 'ada' }] };
  return (
    <>
      <button type="button" onClick={() => createThread(draft)}>
        Comment
      </button>
      <ul aria-label="Threads">
        {threads.map(({ annotationId, comments }) => (
          <li key={annotationId}>{comments[0]?.commentText}</li>
        ))}
      </ul>
      <ul aria-label="Inbox">
        {notifications.map(({ id, displayHeadlineMessage }) => (
          <li key={id}>{displayHeadlineMessage}</li>
        ))}
      </ul>
      <ul aria-label="People">
        {[...(self ? [self] : []), ...others].map((person) => (
          <li key={person.userId}>{person.userId}</li>
        ))}
      </ul>
    </>
  );
}
