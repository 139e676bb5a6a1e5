import { type ReactNode, useContext } from 'react';
import type { NewThread } from '../../core/inputs.ts';
import { useDocumentRef } from '../collaboration.tsx';
import { useAccess } from '../live-hooks.ts';
import { useCreateThread, useReply } from '../write-hooks.ts';
import {
  CustomizationProvider,
  type CustomProps,
  LostReplyContext,
  useCustomization,
  useLabels,
} from './parts.ts';
import { type Draft, TextForm } from './text-form.tsx';
import { useDraftStore } from './use-draft-store.ts';

export interface ComposerProps extends CustomProps {
  /** The thread to reply to. By default, the comment starts a new thread. */
  annotationId?: string | undefined;
  /** Further fields of a new thread, such as its `location`. */
  thread?: Partial<NewThread> | undefined;
  autoFocus?: boolean | undefined;
  /** Called with the id of the thread, once the comment is stored. */
  onSent?: ((annotationId: string) => void) | undefined;
}

/**
 * A field for a new comment, shown to users who may comment. `@` offers people to mention; Ctrl+Enter or ⌘+Enter sends.
 */
export function Composer({ components, labels, ...props }: ComposerProps): ReactNode {
  return (
    <CustomizationProvider value={useCustomization({ components, labels })}>
      <ComposerForm {...props} />
    </CustomizationProvider>
  );
}

function ComposerForm({ annotationId, thread, autoFocus, onSent }: ComposerProps): ReactNode {
  const labels = useLabels();
  const { canComment } = useAccess();
  const { organizationId, documentId } = useDocumentRef();
  const drafts = useDraftStore();
  const create = useCreateThread();
  const reply = useReply();
  const giveBack = useContext(LostReplyContext);
  const send = async (draft: Draft) => {
    const id = annotationId ?? (await create.mutateAsync({ ...thread, ...draft }));
    if (annotationId !== undefined) await reply.mutateAsync({ ...draft, annotationId });
    onSent?.(id);
  };
  if (!canComment || !drafts) return null;
  const field = annotationId ?? '';
  return (
    <TextForm
      // Each document and thread has its own draft, so a change of either creates a new form.
      key={JSON.stringify([organizationId, documentId, annotationId])}
      label={annotationId ? labels.reply : labels.newThread}
      submitLabel={labels.send}
      rows={annotationId ? 1 : 2}
      autoFocus={autoFocus}
      takesFiles
      initial={() => drafts.read(field)}
      saveDraft={(written) => drafts.write(field, written)}
      error={create.error ?? reply.error}
      send={send}
      onLost={() => annotationId && giveBack({ annotationId })}
    />
  );
}
