import '@excalidraw/excalidraw/index.css';
import { Excalidraw } from '@excalidraw/excalidraw';
import type { ExcalidrawImperativeAPI } from '@excalidraw/excalidraw/types';
import { createClient } from 'collaboration-client';
import { connectEditor } from 'collaboration-client/editor';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { bindBoard } from './bind-board.ts';

const userId = new URLSearchParams(location.search).get('user') ?? 'ada';
const client = createClient({
  url: import.meta.env.VITE_COLLABORATION_URL,
  token: () => fetch(`/api/token?user=${userId}`, { method: 'POST' }),
});

const editor = connectEditor(client, {
  organizationId: 'demo',
  documentId: 'welcome',
  editorId: 'board',
  user: { name: userId, color: userId === 'ada' ? '#b4236b' : '#1f6feb' },
});

function Board() {
  const [api, setApi] = useState<ExcalidrawImperativeAPI>();
  const subscribe = (listener: () => void) => editor.subscribe(listener);
  const canWrite = useSyncExternalStore(subscribe, () => editor.canWrite);
  const status = useSyncExternalStore(subscribe, () => editor.status);
  useEffect(() => (api ? bindBoard(api, editor) : undefined), [api]);
  return (
    <Excalidraw
      excalidrawAPI={setApi}
      isCollaborating
      viewModeEnabled={!canWrite}
      renderTopRightUI={() => <span>{status === 'synced' && !canWrite ? 'Read only' : ''}</span>}
      onPointerUpdate={({ pointer, button }) =>
        editor.provider.setAwarenessField('pointer', { pointer, button })
      }
    />
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(<Board />);
