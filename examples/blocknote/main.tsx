import '@blocknote/mantine/style.css';
import { CommentsExtension } from '@blocknote/core/comments';
import { BlockNoteView } from '@blocknote/mantine';
import { BlockNoteViewEditor, ThreadsSidebar, useCreateBlockNote } from '@blocknote/react';
import { createClient } from 'collaboration-client';
import { type CollaborationThreadStore, connectThreadStore } from 'collaboration-client/blocknote';
import { connectEditor } from 'collaboration-client/editor';
import { createRoot } from 'react-dom/client';

const userId = new URLSearchParams(location.search).get('user') ?? 'ada';
const client = createClient({
  url: import.meta.env.VITE_COLLABORATION_URL,
  token: async () => (await fetch(`/api/token?user=${userId}`, { method: 'POST' })).json(),
});

const place = { organizationId: 'demo', documentId: 'welcome' };
const user = { name: userId, color: userId === 'ada' ? '#b4236b' : '#1f6feb' };
const connected = connectEditor(client, { ...place, editorId: 'blocknote', user });
connected.subscribe(() => {
  document.querySelector('#status')?.replaceChildren(connected.status);
});

async function resolveUsers(userIds: string[]) {
  const { data } = await client.users.get({ organizationId: place.organizationId, userIds });
  return data.map(({ userId, name = userId }) => ({
    id: userId,
    username: name,
    avatarUrl: '',
  }));
}

function Page({ threadStore }: { threadStore: CollaborationThreadStore }) {
  const editor = useCreateBlockNote({
    collaboration: {
      provider: { awareness: connected.provider.awareness ?? undefined },
      fragment: connected.document.getXmlFragment('document-store'),
      user,
    },
    extensions: [CommentsExtension({ threadStore, resolveUsers })],
  });
  return (
    <BlockNoteView editor={editor} renderEditor={false} theme="light">
      <div className="page">
        <BlockNoteViewEditor />
        <ThreadsSidebar filter="open" sort="position" />
      </div>
    </BlockNoteView>
  );
}

const threadStore = await connectThreadStore(client, place);
createRoot(document.getElementById('root') as HTMLElement).render(
  <Page threadStore={threadStore} />,
);
