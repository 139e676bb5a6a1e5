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

interface Place {
  organizationId: string;
  documentId: string;
  /** Names the content that the editor shows, and the comments on it. */
  editorId: string;
}

/**
 * Shows the comments on a text and the edits that people suggest beside it, in the same way for every
 * editor.
 *
 * @returns a function that removes them
 */
export function showTextComments(
  client: CollaborationClient,
  { organizationId, documentId, editorId }: Place,
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
  const [active, setActive] = useState<string>();
  const [selected, setSelected] = useState<Anchor>();
  const [writes, setWrites] = useState<'comment' | 'edit'>('comment');
  const { canComment } = useAccess();
  const { threads } = useThreads({ statusIds: ['OPEN'], locationIds: [editorId] });
  const [marks, setMarks] = useState<TextMarks>();

  useEffect(() => {
    const made = markText(text, { onClick: setActive });
    setMarks(made);
    return () => made.destroy();
  }, [text]);
  useEffect(() => {
    const draft = { annotationId: 'draft', location: { anchor: selected } };
    marks?.show(selected ? [...threads, draft] : threads);
  }, [marks, threads, selected]);

  const start = (kind: typeof writes) => {
    setSelected(marks?.createAnchor());
    setWrites(kind);
  };
  const end = () => setSelected(undefined);

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
      {selected && writes === 'comment' && (
        <Composer
          autoFocus
          thread={{ location: { id: editorId, anchor: selected } }}
          onSent={end}
        />
      )}
      {selected && writes === 'edit' && (
        <SuggestedEdit anchor={selected} editorId={editorId} onEnd={end} />
      )}
      {marks &&
        threads.map((thread) => (
          <PlacedThread
            key={thread.annotationId}
            thread={thread}
            marks={marks}
            isActive={thread.annotationId === active}
          />
        ))}
    </section>
  );
}

/** The editor keeps its focus, and with it the selection. */
const keepFocus = (event: MouseEvent) => event.preventDefault();

interface SuggestedEditProps {
  anchor: Anchor;
  editorId: string;
  onEnd: () => void;
}

function SuggestedEdit({ anchor, editorId, onEnd }: SuggestedEditProps) {
  const { mutateAsync: suggest, error } = useSuggestEdit();
  const passage = passageOf(anchor);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const replacement = String(new FormData(event.currentTarget).get('replacement'));
    await suggest({ editorId, ...passage, replacement }).then(onEnd, () => undefined);
  };
  return (
    <form className="edit" onSubmit={submit}>
      <textarea name="replacement" aria-label="Suggested text" defaultValue={passage.quote} />
      <button type="submit">Suggest</button>
      <button type="button" onClick={onEnd}>
        Cancel
      </button>
      {error && <p role="alert">{error.message}</p>}
    </form>
  );
}

interface PlacedThreadProps {
  thread: Thread;
  marks: TextMarks;
  isActive: boolean;
}

function PlacedThread({ thread, marks, isActive }: PlacedThreadProps) {
  const orphans = useSyncExternalStore(
    (listener) => marks.subscribe(listener),
    () => marks.orphans,
  );
  const anchor = anchorOf(thread);
  const quote = anchor && quoteOf(anchor).replaceAll('\n', ' … ');
  const scrollHere = (element: HTMLElement | null) =>
    isActive ? element?.scrollIntoView({ block: 'nearest' }) : undefined;
  return (
    <div className="placed" data-active={isActive} ref={scrollHere}>
      {quote && orphans.has(thread.annotationId) && <p>Its text is gone: “{quote}”</p>}
      {quote && !orphans.has(thread.annotationId) && (
        <button type="button" className="quote" onClick={() => marks.scrollTo(thread.annotationId)}>
          {quote}
        </button>
      )}
      <ThreadView thread={thread} />
    </div>
  );
}
