import { LexicalCollaboration } from '@lexical/react/LexicalCollaborationContext';
import { CollaborationPlugin } from '@lexical/react/LexicalCollaborationPlugin';
import { LexicalComposer } from '@lexical/react/LexicalComposer';
import { ContentEditable } from '@lexical/react/LexicalContentEditable';
import { LexicalErrorBoundary } from '@lexical/react/LexicalErrorBoundary';
import { RichTextPlugin } from '@lexical/react/LexicalRichTextPlugin';
import type { Provider } from '@lexical/yjs';
import { createClient } from 'collaboration-client';
import { connectEditor } from 'collaboration-client/editor';
import { useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { Doc } from 'yjs';
import { lexicalProvider } from './lexical-provider.ts';

const userId = new URLSearchParams(location.search).get('user') ?? 'ada';
const client = createClient({
  url: import.meta.env.VITE_COLLABORATION_URL,
  token: async () => (await fetch(`/api/token?user=${userId}`, { method: 'POST' })).json(),
});

function openDocument(editorId: string, documents: Map<string, Doc>): Provider {
  const document = new Doc();
  documents.set(editorId, document);
  const place = { organizationId: 'demo', documentId: 'welcome', editorId };
  const editor = connectEditor(client, { ...place, document });
  editor.subscribe(() => {
    window.document.querySelector('#status')?.replaceChildren(editor.status);
  });
  return lexicalProvider(editor);
}

const config = {
  namespace: 'example',
  // The collaboration plugin sets the content.
  editorState: null,
  onError: (error: Error) => {
    throw error;
  },
};

function Page() {
  const frame = useRef<HTMLDivElement>(null);
  return (
    <LexicalCollaboration>
      <LexicalComposer initialConfig={config}>
        <div className="frame" ref={frame}>
          <RichTextPlugin
            contentEditable={<ContentEditable aria-label="Text" />}
            ErrorBoundary={LexicalErrorBoundary}
          />
          <CollaborationPlugin
            id="lexical"
            providerFactory={openDocument}
            shouldBootstrap={false}
            cursorsContainerRef={frame}
            username={userId}
            cursorColor={userId === 'ada' ? '#b4236b' : '#1f6feb'}
          />
        </div>
      </LexicalComposer>
    </LexicalCollaboration>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(<Page />);
