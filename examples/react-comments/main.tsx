import { createClient } from 'collaboration-client';
import {
  CollaborationProvider,
  Composer,
  DocumentProvider,
  Inbox,
  Threads,
  usePresence,
} from 'collaboration-client/react';
import 'collaboration-client/react/styles.css';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

const userId = new URLSearchParams(location.search).get('user') ?? 'ada';
const client = createClient({
  url: import.meta.env.VITE_COLLABORATION_URL,
  token: () => fetch(`/api/token?user=${userId}`, { method: 'POST' }),
});

const OPEN_STATUSES = ['OPEN', 'IN_PROGRESS'];

/** The threads, at first without resolved ones, and a field for a new thread below them. */
function Comments() {
  const [showsResolved, setShowsResolved] = useState(false);
  return (
    <div>
      <label>
        <input
          type="checkbox"
          checked={showsResolved}
          onChange={({ target }) => setShowsResolved(target.checked)}
        />{' '}
        Show resolved comments
      </label>
      <Threads isReadOnly order="asc" statusIds={showsResolved ? [] : OPEN_STATUSES} />
      <Composer />
    </div>
  );
}

function Others() {
  const { others } = usePresence();
  const names = others.map(({ name, userId }) => name ?? userId);
  return <p>Here with you: {names.join(', ') || 'nobody'}</p>;
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CollaborationProvider client={client} organizationId="demo">
      <DocumentProvider documentId="welcome">
        <header>
          <h1>Launch plan</h1>
          <Others />
        </header>
        <Comments />
        <Inbox />
      </DocumentProvider>
    </CollaborationProvider>
  </StrictMode>,
);
