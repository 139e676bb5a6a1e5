import Collaboration from '@tiptap/extension-collaboration';
import CollaborationCaret from '@tiptap/extension-collaboration-caret';
import { EditorContent, useEditor as useTiptap } from '@tiptap/react';
import StarterKit from '@tiptap/starter-kit';
import { createClient } from 'collaboration-client';
import { proseMirrorText } from 'collaboration-client/anchors';
import { type ConnectedEditor, connectEditor } from 'collaboration-client/editor';
import { CollaborationProvider, DocumentProvider, useEditor } from 'collaboration-client/react';
import { useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { showTextComments } from '../text-comments.tsx';

const userId = new URLSearchParams(location.search).get('user') ?? 'ada';
const client = createClient({
  url: import.meta.env.VITE_COLLABORATION_URL,
  token: () => fetch(`/api/token?user=${userId}`, { method: 'POST' }),
});

const place = { organizationId: 'demo', documentId: 'welcome', editorId: 'tiptap' };
// Others see the user's name from the server, and this colour.
const user = { name: userId, color: userId === 'ada' ? '#b4236b' : '#1f6feb' };

function Page() {
  const { editor, status, canWrite } = useEditor(connectEditor, place.editorId);
  return (
    <>
      <p>
        Status: <output>{status}</output>
      </p>
      {editor && <Text editor={editor} canWrite={canWrite} />}
    </>
  );
}

function Text({ editor, canWrite }: { editor: ConnectedEditor; canWrite: boolean }) {
  const tiptap = useTiptap(
    {
      extensions: [
        // Yjs has its own undo and redo, for the user's own edits only.
        StarterKit.configure({ undoRedo: false }),
        Collaboration.configure({ document: editor.document }),
        CollaborationCaret.configure({ provider: editor.provider, user }),
      ],
    },
    [editor],
  );
  useEffect(() => tiptap.setEditable(canWrite), [tiptap, canWrite]);
  useEffect(() => {
    const fragment = editor.document.getXmlFragment('default');
    return showTextComments(client, place, proseMirrorText(tiptap.view, fragment));
  }, [tiptap, editor]);
  return <EditorContent editor={tiptap} />;
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <CollaborationProvider client={client} organizationId={place.organizationId}>
    <DocumentProvider documentId={place.documentId}>
      <Page />
    </DocumentProvider>
  </CollaborationProvider>,
);
