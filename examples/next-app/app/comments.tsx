'use client';

import { createClient } from 'collaboration-client';
import {
  CollaborationProvider,
  DocumentProvider,
  useCreateThread,
  useThreads,
} from 'collaboration-client/react';
import { type FormEvent, useState } from 'react';

/** The sidebar, which runs in the browser with the user's token. */
export function Comments({ url, userId }: { url: string; userId: string }) {
  const [client] = useState(() =>
    createClient({
      url,
      token: () => fetch(`/api/token?user=${userId}`, { method: 'POST' }),
    }),
  );
  return (
    <CollaborationProvider client={client} organizationId="demo">
      <DocumentProvider documentId="welcome">
        <Sidebar />
      </DocumentProvider>
    </CollaborationProvider>
  );
}

/** The threads of the document, live, and a field for a new thread. */
function Sidebar() {
  const { threads, error } = useThreads({ order: 'asc' });
  const { mutate: createThread } = useCreateThread();
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    createThread({ text: String(new FormData(event.currentTarget).get('text')) });
    event.currentTarget.reset();
  };
  return (
    <aside>
      <h2>Comments</h2>
      {error && <p role="alert">{error.message}</p>}
      {threads.map(({ annotationId, comments }) => (
        <article key={annotationId}>
          {comments.map(({ commentId, from, commentText }) => (
            <p key={commentId}>
              <strong>{from.name ?? from.userId}</strong> {commentText}
            </p>
          ))}
        </article>
      ))}
      <form onSubmit={add}>
        <input name="text" aria-label="Comment" placeholder="Comment…" required />
        <button type="submit">Add</button>
      </form>
    </aside>
  );
}
