import { Editor } from '@tiptap/core';
import Collaboration from '@tiptap/extension-collaboration';
import CollaborationCaret from '@tiptap/extension-collaboration-caret';
import StarterKit from '@tiptap/starter-kit';
import { createClient } from 'collaboration-client';
import { proseMirrorText } from 'collaboration-client/anchors';
import { connectEditor } from 'collaboration-client/editor';
import { showTextComments } from '../text-comments.tsx';

const userId = new URLSearchParams(location.search).get('user') ?? 'ada';
const client = createClient({
  url: import.meta.env.VITE_COLLABORATION_URL,
  token: async () => (await fetch(`/api/token?user=${userId}`, { method: 'POST' })).json(),
});

const user = { name: userId, color: userId === 'ada' ? '#b4236b' : '#1f6feb' };
const place = { organizationId: 'demo', documentId: 'welcome', editorId: 'tiptap' };
const editor = connectEditor(client, { ...place, user });
const page = new Editor({
  element: document.querySelector('#editor'),
  extensions: [
    // Yjs keeps the history of each person's own edits.
    StarterKit.configure({ undoRedo: false }),
    Collaboration.configure({ document: editor.document }),
    CollaborationCaret.configure({ provider: editor.provider, user }),
  ],
  editable: editor.canWrite,
});

editor.subscribe(() => {
  document.querySelector('#status')?.replaceChildren(editor.status);
  if (page.isEditable !== editor.canWrite) page.setEditable(editor.canWrite);
});

const fragment = editor.document.getXmlFragment('default');
showTextComments(client, place, proseMirrorText(page.view, fragment));
