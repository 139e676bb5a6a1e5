import 'collaboration-client/react/styles.css';
import './text-comments.css';
import type { CollaborationClient } from 'collaboration-client';
import {
  type Anchor,
  anchorOf,
  type EditorText,
  markText,
  passageOf,
  quoteOf,
  type TextMarks,
} from 'collaboration-client/anchors';
import type { EditorPlace } from 'collaboration-client/editor';
import {
  CollaborationProvider,
  Composer,
  DocumentProvider,
  type Thread,
  ThreadView,
  useAccess,
  useSuggestEdit,
  useThreads,
} from 'collaboration-client/react';
import { type FormEvent, type MouseEvent, useEffect, useState, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';

/**
 * Shows the comments on a text, and the edits that people suggest, beside the text. This works in the same way for
 * every editor. Threads on the text have the `editorId` as their location.
 *
 * @returns a function that removes the comments from the page
 */
export function showTextComments(
  client: CollaborationClient,
  { organizationId, documentId, editorId }: EditorPlace,
  text: EditorText,
): () => void {
  const root = createRoot(document.querySelector('#comments') as HTMLElement);
  root.render(
    <CollaborationProvider client={client} organizationId={organizationId}>
      <DocumentProvider documentId={documentId}>
        <TextComments text={text} editorId={editorId} />
      </DocumentProvider>
    </CollaborationProvider>,
  );
  return () => root.unmount();
}

function TextComments({ text, editorId }: { text: EditorText; editorId: string }) {
  const [activeId, setActiveId] = useState<string>();
  const [selected, setSelected] = useState<Anchor>();
  const [kind, setKind] = useState<'comment' | 'edit'>('comment');
  const { canComment } = useAccess();
  const { threads } = useThreads({ statusIds: ['OPEN'], locationIds: [editorId] });
  const [marks, setMarks] = useState<TextMarks>();

  useEffect(() => {
    const newMarks = markText(text, { onClick: setActiveId });
    setMarks(newMarks);
    return () => newMarks.destroy();
  }, [text]);
  useEffect(() => {
    const draft = { annotationId: 'draft', location: { anchor: selected } };
    marks?.show(selected ? [...threads, draft] : threads);
  }, [marks, threads, selected]);

  const start = (newKind: typeof kind) => {
    setSelected(marks?.createAnchor());
    setKind(newKind);
  };
  const close = () => setSelected(undefined);

  return (
    <section aria-label="Comments on the text">
      {canComment && (
        <div className="start">
          <button type="button" onMouseDown={keepFocus} onClick={() => start('comment')}>
            Comment on the selection
          </button>
          <button type="button" onMouseDown={keepFocus} onClick={() => start('edit')}>
            Suggest an edit
          </button>
        </div>
      )}
      {selected && kind === 'comment' && (
        <Composer
          autoFocus
          thread={{ location: { id: editorId, anchor: selected } }}
          onSent={close}
        />
      )}
      {selected && kind === 'edit' && (
        <SuggestionForm anchor={selected} editorId={editorId} onClose={close} />
      )}
      {marks &&
        threads.map((thread) => (
          <AnchoredThread
            key={thread.annotationId}
            thread={thread}
            marks={marks}
            isActive={thread.annotationId === activeId}
          />
        ))}
    </section>
  );
}

/** Lets the editor keep its focus, and with it the selection. */
const keepFocus = (event: MouseEvent) => event.preventDefault();

interface SuggestionFormProps {
  anchor: Anchor;
  editorId: string;
  onClose: () => void;
}

function SuggestionForm({ anchor, editorId, onClose }: SuggestionFormProps) {
  const { mutateAsync: suggest, error } = useSuggestEdit();
  const passage = passageOf(anchor);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const replacement = String(new FormData(event.currentTarget).get('replacement'));
    await suggest({ editorId, ...passage, replacement }).then(onClose, () => undefined);
  };
  return (
    <form className="edit" onSubmit={submit}>
      <textarea name="replacement" aria-label="Suggested text" defaultValue={passage.quote} />
      <button type="submit">Suggest</button>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      {error && <p role="alert">{error.message}</p>}
    </form>
  );
}

interface AnchoredThreadProps {
  thread: Thread;
  marks: TextMarks;
  isActive: boolean;
}

function AnchoredThread({ thread, marks, isActive }: AnchoredThreadProps) {
  const orphans = useSyncExternalStore(
    (listener) => marks.subscribe(listener),
    () => marks.orphans,
  );
  const anchor = anchorOf(thread);
  const quote = anchor && quoteOf(anchor).replaceAll('\n', ' … ');
  const scrollHere = (element: HTMLElement | null) =>
    isActive ? element?.scrollIntoView({ block: 'nearest' }) : undefined;
  return (
    <div className="anchored" data-active={isActive} ref={scrollHere}>
      {quote && orphans.has(thread.annotationId) && (
        <p>The text of this comment is gone: “{quote}”</p>
      )}
      {quote && !orphans.has(thread.annotationId) && (
        <button type="button" className="quote" onClick={() => marks.scrollTo(thread.annotationId)}>
          {quote}
        </button>
      )}
      <ThreadView thread={thread} />
    </div>
  );
}
