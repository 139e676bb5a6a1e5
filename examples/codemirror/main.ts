import { Compartment, EditorState } from '@codemirror/state';
import { basicSetup, EditorView } from 'codemirror';
import { createClient } from 'collaboration-client';
import { codeMirrorText } from 'collaboration-client/anchors';
import { connectEditor } from 'collaboration-client/editor';
import { yCollab } from 'y-codemirror.next';
import { showTextComments } from '../text-comments.tsx';

const userId = new URLSearchParams(location.search).get('user') ?? 'ada';
const client = createClient({
  url: import.meta.env.VITE_COLLABORATION_URL,
  token: () => fetch(`/api/token?user=${userId}`, { method: 'POST' }),
});

const place = { organizationId: 'demo', documentId: 'welcome', editorId: 'body' };
const editor = connectEditor(client, {
  ...place,
  user: { name: userId, color: userId === 'ada' ? '#b4236b' : '#1f6feb' },
});
const text = editor.document.getText('content');
const readOnlyCompartment = new Compartment();
const readOnly = () => EditorState.readOnly.of(!editor.canWrite);
const view = new EditorView({
  parent: document.querySelector('#editor') ?? document.body,
  doc: text.toString(),
  extensions: [
    basicSetup,
    EditorView.lineWrapping,
    yCollab(text, editor.provider.awareness),
    readOnlyCompartment.of(readOnly()),
  ],
});

editor.subscribe(() => {
  document.querySelector('#status')?.replaceChildren(editor.status);
  if (view.state.readOnly === editor.canWrite)
    view.dispatch({ effects: readOnlyCompartment.reconfigure(readOnly()) });
});

showTextComments(client, place, codeMirrorText(view, text));
