import '@blocknote/mantine/style.css';
import { BlockNoteView } from '@blocknote/mantine';
import { useCreateBlockNote } from '@blocknote/react';
import { createClient } from 'collaboration-client';
import { proseMirrorText } from 'collaboration-client/anchors';
import { connectEditor } from 'collaboration-client/editor';
import { useEffect, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { showTextComments } from '../text-comments.tsx';

const userId = new URLSearchParams(location.search).get('user') ?? 'ada';
const client = createClient({
  url: import.meta.env.VITE_COLLABORATION_URL,
  token: () => fetch(`/api/token?user=${userId}`, { method: 'POST' }),
});

const place = { organizationId: 'demo', documentId: 'welcome', editorId: 'blocknote' };
const user = { name: userId, color: userId === 'ada' ? '#b4236b' : '#1f6feb' };
const connected = connectEditor(client, { ...place, user });
const fragment = connected.document.getXmlFragment('document-store');
connected.subscribe(() => {
  document.querySelector('#status')?.replaceChildren(connected.status);
});

function Page() {
  const canWrite = useSyncExternalStore(
    (listener) => connected.subscribe(listener),
    () => connected.canWrite,
  );
  const editor = useCreateBlockNote({
    collaboration: {
      provider: { awareness: connected.provider.awareness ?? undefined },
      fragment,
      user,
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: BlockNote makes a new view when `canWrite` changes
  useEffect(() => {
    const view = editor.prosemirrorView;
    return view && showTextComments(client, place, proseMirrorText(view, fragment));
  }, [editor, canWrite]);
  return <BlockNoteView editor={editor} editable={canWrite} theme="light" />;
}

createRoot(document.getElementById('root') as HTMLElement).render(<Page />);
