import { LexicalCollaboration } from '@lexical/react/LexicalCollaborationContext';
import { CollaborationPlugin } from '@lexical/react/LexicalCollaborationPlugin';
import { LexicalComposer } from '@lexical/react/LexicalComposer';
import { useLexicalComposerContext } from '@lexical/react/LexicalComposerContext';
import { ContentEditable } from '@lexical/react/LexicalContentEditable';
import { LexicalErrorBoundary } from '@lexical/react/LexicalErrorBoundary';
import { RichTextPlugin } from '@lexical/react/LexicalRichTextPlugin';
import { createClient } from 'collaboration-client';
import { lexicalText } from 'collaboration-client/anchors';
import { type ConnectedEditor, connectEditor } from 'collaboration-client/editor';
import { useCallback, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Doc, XmlText } from 'yjs';
import { showTextComments } from '../text-comments.tsx';
import { lexicalProvider } from './lexical-provider.ts';

const userId = new URLSearchParams(location.search).get('user') ?? 'ada';
const client = createClient({
  url: import.meta.env.VITE_COLLABORATION_URL,
  token: () => fetch(`/api/token?user=${userId}`, { method: 'POST' }),
});
const place = { organizationId: 'demo', documentId: 'welcome', editorId: 'lexical' };

const config = {
  namespace: 'example',
  // The collaboration plugin sets the content.
  editorState: null,
  editable: false,
  onError: (error: Error) => {
    throw error;
  },
};

function Page() {
  const frame = useRef<HTMLDivElement>(null);
  const [connected, setConnected] = useState<ConnectedEditor>();
  const openDocument = useCallback((id: string, documents: Map<string, Doc>) => {
    const document = new Doc();
    documents.set(id, document);
    const editor = connectEditor(client, { ...place, document });
    setConnected(editor);
    return lexicalProvider(editor);
  }, []);
  return (
    <LexicalCollaboration>
      <LexicalComposer initialConfig={config}>
        <div className="frame" ref={frame}>
          <RichTextPlugin
            contentEditable={<ContentEditable aria-label="Text" />}
            ErrorBoundary={LexicalErrorBoundary}
          />
          <CollaborationPlugin
            id={place.editorId}
            providerFactory={openDocument}
            shouldBootstrap={false}
            cursorsContainerRef={frame}
            username={userId}
            cursorColor={userId === 'ada' ? '#b4236b' : '#1f6feb'}
          />
          {connected && <Connection connected={connected} />}
        </div>
      </LexicalComposer>
    </LexicalCollaboration>
  );
}

/** Shows the status of the connection and the comments. Makes the editor read-only while the user may not write. */
function Connection({ connected }: { connected: ConnectedEditor }) {
  const [editor] = useLexicalComposerContext();
  useEffect(() => {
    const update = () => {
      document.querySelector('#status')?.replaceChildren(connected.status);
      editor.setEditable(connected.canWrite);
    };
    update();
    return connected.subscribe(update);
  }, [editor, connected]);
  useEffect(() => {
    const root = connected.document.get('root', XmlText);
    return showTextComments(client, place, lexicalText(editor, root));
  }, [editor, connected]);
  return null;
}

createRoot(document.getElementById('root') as HTMLElement).render(<Page />);
