import { useEffect, useMemo, useReducer, useState } from 'react';
import type { DocumentRef } from '../core/collaboration.ts';
import type { CollaborationClient } from '../create-client.ts';
import { useClient, useDocumentRef } from './collaboration.tsx';

/** The properties of an editor that the hook needs. `connectEditor` returns such an editor. */
interface LiveEditor {
  readonly status: 'connecting' | 'synced' | 'offline' | 'refused' | 'signedOut';
  readonly error: string | undefined;
  readonly canWrite: boolean;
  readonly hasUnsyncedChanges: boolean;
  subscribe(listener: () => void): () => void;
  destroy(): void;
}

type Connect<Editor, Options> = (
  client: CollaborationClient,
  options: DocumentRef & { editorId: string } & Options,
) => Editor;

export interface EditorNow<Editor> {
  /**
   * Pass `editor.document` (Yjs) and `editor.provider` to your editor's binding. Undefined at the first rendering, and at
   * the first one of another document.
   */
  editor: Editor | undefined;
  status: LiveEditor['status'];
  /** Make the editor read-only while this is false: edits would be lost. */
  canWrite: boolean;
  /** Whether edits are waiting to be stored by the server. If so, ask the user before the page is left. */
  hasUnsyncedChanges: boolean;
  /** Why the server refused the editor. */
  error: string | undefined;
}

/**
 * Connects to one content of the document while the component is mounted:
 *
 *     import { connectEditor } from 'collaboration-client/editor';
 *     const { editor, status } = useEditor(connectEditor, 'body');
 *
 * @param connect `connectEditor`. It is a parameter so that pages without an editor do not load its dependencies.
 * @param options the options of `connectEditor`, which are read only when the editor is created
 */
export function useEditor<Editor extends LiveEditor, Options extends object>(
  connect: Connect<Editor, Options>,
  editorId: string,
  options?: Options,
): EditorNow<Editor> {
  const client = useClient();
  const documentRef = useDocumentRef();
  const place = useMemo(
    () => ({ client, ...documentRef, editorId }),
    [client, documentRef, editorId],
  );
  const [opened, setOpened] = useState<{ place: typeof place; editor: Editor }>();
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the options are read only when the editor is created
  useEffect(() => {
    const { client, ...editorPlace } = place;
    const editor = connect(client, { ...editorPlace, ...(options as Options) });
    editor.subscribe(rerender);
    setOpened({ place, editor });
    return () => {
      editor.destroy();
      setOpened(undefined);
    };
  }, [place]);
  // For another document, this is undefined once. Components that are shown only with an editor, as bindings need it,
  // then leave the page before the editor is destroyed, and come back with the next one.
  const editor = opened?.place === place ? opened.editor : undefined;
  return {
    editor,
    status: editor?.status ?? 'connecting',
    canWrite: editor?.canWrite ?? false,
    hasUnsyncedChanges: editor?.hasUnsyncedChanges ?? false,
    error: editor?.error,
  };
}
