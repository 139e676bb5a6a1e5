import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { User } from '../../../api/contract.ts';
import type { CommentDraft } from '../../core/inputs.ts';
import { nameOf } from './comment-text.tsx';
import { useLabels, useParts } from './parts.ts';
import { Failure, Initials } from './small-parts.tsx';
import { useMentions } from './use-mentions.ts';

/** A text, and the users whom it mentions. */
export type Draft = Required<Pick<CommentDraft, 'text'>> & { mentions: User[] };

interface TextFormProps {
  /** The name of the field. */
  label: string;
  submitLabel: string;
  rows: number;
  /** The text to begin with; none by default. */
  initial?: Draft;
  autoFocus?: boolean | undefined;
  error: Error | null;
  /** Sends the draft. If this fails, the text stands in the field again. */
  send(draft: Draft): Promise<unknown>;
  /** Called on Escape, and by a button that is shown for it. */
  onCancel?: () => void;
}

/** Browsers take the end of the text instead. */
const MAX_LENGTH = 1_000_000;

const NO_DRAFT: Draft = { text: '', mentions: [] };

/** A field for the text of a comment. `@` offers people to mention; Ctrl+Enter or ⌘+Enter sends. */
export function TextForm(props: TextFormProps): ReactNode {
  const { label, submitLabel, rows, initial = NO_DRAFT, autoFocus, error, send, onCancel } = props;
  const { cancel } = useLabels();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(initial.text);
  const mentions = useMentions(area, setText, initial.mentions);
  const list = useId();
  // Put the cursor at the end.
  useEffect(() => area.current?.setSelectionRange(MAX_LENGTH, MAX_LENGTH), []);
  const submit = () => {
    const trimmed = text.trim();
    if (trimmed === '') return;
    setText('');
    // Restore the draft if sending failed, unless something else was written meanwhile.
    send({ text: trimmed, mentions: mentions.mentionedIn(trimmed) }).catch(() =>
      setText((now) => now || text),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, nativeEvent } = event;
    if (nativeEvent.isComposing) return;
    const isSend = key === 'Enter' && (ctrlKey || metaKey);
    if (isSend) submit();
    if (isSend || mentions.takeKey(event)) event.preventDefault();
    else if (key === 'Escape') onCancel?.();
  };
  const { choices, active } = mentions;
  return (
    <form
      className="collab collab-composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={area}
        value={text}
        rows={rows}
        aria-label={label}
        placeholder={label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={choices.length > 0 ? list : undefined}
        aria-activedescendant={choices.length > 0 ? `${list}-${active}` : undefined}
        // biome-ignore lint/a11y/noAutofocus: the app or the user asks for it
        autoFocus={autoFocus}
        onChange={({ target }) => {
          setText(target.value);
          mentions.look(target.value.slice(0, target.selectionStart));
        }}
        onKeyDown={onKeyDown}
        onBlur={() => mentions.look('')}
      />
      {choices.length > 0 && <Choices id={list} {...mentions} />}
      <button type="submit" className="collab-primary" disabled={text.trim() === ''}>
        {submitLabel}
      </button>
      {onCancel && (
        <button type="button" className="collab-quiet" onClick={onCancel}>
          {cancel}
        </button>
      )}
      <Failure error={error} />
    </form>
  );
}

type ChoicesProps = Pick<ReturnType<typeof useMentions>, 'choices' | 'active' | 'choose'>;

function Choices({ id, choices, active, choose }: ChoicesProps & { id: string }): ReactNode {
  const { people } = useLabels();
  const { Avatar = Initials } = useParts();
  return (
    <div id={id} className="collab-choices" role="listbox" aria-label={people}>
      {choices.map((user, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the text area keeps the focus
        // biome-ignore lint/a11y/useKeyWithClickEvents: it takes the keys, too
        <div
          key={user.userId}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === active}
          // Before the text area would lose the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(user)}
        >
          <Avatar user={user} /> {nameOf(user)}
        </div>
      ))}
    </div>
  );
}
