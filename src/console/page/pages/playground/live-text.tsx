import { Alert } from '@mantine/core';
import { Editor, Extension } from '@tiptap/core';
import Collaboration from '@tiptap/extension-collaboration';
import StarterKit from '@tiptap/starter-kit';
import { yCursorPlugin } from '@tiptap/y-tiptap';
import { getNonce } from 'get-nonce';
import { useEffect, useRef, useState } from 'react';
import { type ConnectedEditor, connectEditor } from '../../../../client/editor.ts';
import { useEditor } from '../../../../client/react.ts';
import { Note } from '../../parts/basics.tsx';
import { EDITOR_ID, type PlaygroundPerson } from './demo-data.ts';

/** One person's editor for the text of the document. */
export function LiveText({ person }: { person: PlaygroundPerson }) {
  const { name, color } = person;
  const user = { name, color };
  const { editor, status, error, canWrite } = useEditor(connectEditor, EDITOR_ID, { user });
  const container = useRef<HTMLDivElement>(null);
  const [tiptap, setTiptap] = useState<Editor>();

  useEffect(() => {
    if (!editor || !container.current) return;
    const opened = openTiptap(container.current, editor, name);
    setTiptap(opened);
    return () => opened.destroy();
  }, [editor, name]);
  useEffect(() => tiptap?.setEditable(canWrite, false), [tiptap, canWrite]);

  return (
    <div>
      <div ref={container} className="play-text" data-testid={`text of ${person.userId}`} />
      {status === 'refused' && (
        <Alert color="red" title="The server refused this editor" mt="xs">
          {error}
        </Alert>
      )}
      <Note size="xs" role="status" mt={4}>
        {statusText(status, canWrite)}
      </Note>
    </div>
  );
}

const STATUS_TEXTS = {
  connecting: 'Connecting…',
  offline: 'Offline: edits are kept and sent later',
  refused: 'No access',
  signedOut: 'The session has ended',
  synced: 'Live',
};

const statusText = (status: keyof typeof STATUS_TEXTS, canWrite: boolean): string =>
  status === 'synced' && !canWrite ? 'Live, read-only' : STATUS_TEXTS[status];

function openTiptap(element: HTMLElement, editor: ConnectedEditor, name: string): Editor {
  return new Editor({
    element,
    // Read-only until the content has arrived.
    editable: false,
    injectNonce: getNonce(),
    editorProps: {
      attributes: {
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': `Text of the document, edited by ${name}`,
      },
    },
    extensions: [
      // The Collaboration extension has its own undo history, which undoes only the person's own edits.
      StarterKit.configure({ undoRedo: false, link: { openOnClick: false } }),
      Collaboration.configure({ document: editor.document }),
      carets(editor.provider.awareness),
    ],
  });
}

/**
 * Shows where others are in the text. The security policy of the page forbids style attributes, so colours are set
 * as properties.
 */
const carets = (awareness: unknown) =>
  Extension.create({
    name: 'carets',
    addProseMirrorPlugins() {
      const selectionBuilder = () => ({ class: 'play-marked' });
      return [yCursorPlugin(awareness as never, { cursorBuilder: drawCaret, selectionBuilder })];
    },
  });

/** The awareness state of somebody else, which may hold anything. */
interface AwarenessState {
  name?: unknown;
  color?: unknown;
}

const HEX_COLOR = /^#[0-9a-f]{6}$/i;

function drawCaret({ name, color }: AwarenessState): HTMLElement {
  const caret = document.createElement('span');
  caret.className = 'play-caret';
  const label = document.createElement('span');
  label.className = 'play-caret-name';
  label.textContent = String(name ?? '').split(' ')[0] ?? '';
  if (HEX_COLOR.test(String(color))) caret.style.setProperty('--play-caret', String(color));
  // Word joiners keep the text on both sides of a caret one word.
  caret.append('\u2060', label, '\u2060');
  return caret;
}
