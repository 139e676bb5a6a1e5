import { createClient } from 'collaboration-client';
import { type ConnectedEditor, connectEditor } from 'collaboration-client/editor';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { HooksPage } from './hooks.tsx';

const query = new URLSearchParams(location.search);
const userId = query.get('user') ?? 'ada';
const place = { organizationId: 'acme', documentId: 'plan' };
const client = createClient({
  url: query.get('server') ?? '',
  token: async () => (await fetch(`/token?user=${userId}`, { method: 'POST' })).json(),
});

const editor = connectEditor(client, { ...place, editorId: 'body', user: { name: userId } });
const text = editor.document.getText('content');

function Editor({ editor }: { editor: ConnectedEditor }) {
  const subscribe = (listener: () => void) => editor.subscribe(listener);
  const status = useSyncExternalStore(subscribe, () => editor.status);
  const isStored = useSyncExternalStore(subscribe, () => !editor.hasUnsyncedChanges);
  const content = useSyncExternalStore(
    (listener) => {
      text.observe(listener);
      return () => text.unobserve(listener);
    },
    () => text.toString(),
  );
  return (
    <>
      <output aria-label="Editor">
        {status}
        {isStored ? ', stored' : ''}
      </output>
      <button type="button" onClick={() => text.insert(text.length, `${userId} `)}>
        Write
      </button>
      <output aria-label="Text">{content}</output>
    </>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <HooksPage client={client} place={place} userId={userId} />
    <Editor editor={editor} />
  </StrictMode>,
);
