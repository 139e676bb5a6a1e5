import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { User } from '../../../api/contract.ts';
import type { CommentDraft } from '../../core/inputs.ts';
import { AttachButton, dropHandlers, UploadList, useUploads } from './attachments.tsx';
import { nameOf } from './comment-text.tsx';
import { formatText } from './format-text.ts';
import { useLabels, useParts } from './parts.ts';
import { DefaultAvatar, Failure } from './small-parts.tsx';
import { EMPTY_TEXT, type WrittenText } from './use-draft-store.ts';
import { useMentions } from './use-mentions.ts';

/** A text with its formats, the users whom it mentions, and its attachments. */
export type Draft = Pick<CommentDraft, 'text' | 'html' | 'attachments'> & { mentions: User[] };

interface TextFormProps {
  /** The accessible name of the field, which is also its placeholder. */
  label: string;
  submitLabel: string;
  rows: number;
  /** Returns the initial text; an empty text by default. */
  initial?: () => WrittenText;
  /** Called with each change of the text, to keep the text across reloads. */
  saveDraft?: ((written: WrittenText) => void) | undefined;
  /** Whether files can be attached. */
  takesFiles?: boolean;
  autoFocus?: boolean | undefined;
  error: Error | null;
  /** Sends the draft. If this fails, the text returns to the field, in front of what the user has typed since. */
  send(draft: Draft, written: WrittenText): Promise<unknown>;
  /** Called when the text was refused after the field had left the page, once `saveDraft` has it. */
  onLost?: () => void;
  /** Called on Escape, and by a cancel button, which is shown only if this is given. */
  onCancel?: () => void;
}

/** The formats that have a keyboard shortcut and a button. Links and lists have to be typed. */
const FORMATS = [
  { name: 'bold', key: 'b', mark: '**', symbol: <b>B</b> },
  { name: 'italic', key: 'i', mark: '*', symbol: <i>I</i> },
  { name: 'code', key: 'e', mark: '`', symbol: '<>' },
] as const;

/** A position after the end of any text. Browsers put the cursor at the end instead. */
const BEYOND_END = 1_000_000;

/** Holds the text of a field with its mentions and files: keeps the draft, sends it, and restores it if that fails. */
function useTextForm({
  initial = () => EMPTY_TEXT,
  saveDraft,
  takesFiles = false,
  send,
  onLost,
}: TextFormProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [written, setWritten] = useState(initial);
  const newest = useRef(written);
  const { text } = written;
  const write = (changed: string, mentions = newest.current.mentions) => {
    newest.current = { text: changed, mentions };
    setWritten(newest.current);
    saveDraft?.(newest.current);
  };
  const mentions = useMentions(area, (changed, user) =>
    write(changed, [...newest.current.mentions, user]),
  );
  const files = useUploads();
  const { uploads, setUploads } = files;
  const attached = uploads.flatMap(({ attachment }) => attachment ?? []);
  // The comment must not be sent without a file that has failed or is still being uploaded.
  const canSend = (text.trim() !== '' || attached.length > 0) && attached.length === uploads.length;
  // Put the cursor at the end of the initial text.
  useEffect(() => area.current?.setSelectionRange(BEYOND_END, BEYOND_END), []);
  const submit = () => {
    const trimmed = text.trim();
    if (!canSend) return;
    write('');
    setUploads([]);
    const sent = { ...formatText(trimmed), mentions: mentionedIn({ ...written, text: trimmed }) };
    send(takesFiles ? { ...sent, attachments: attached } : sent, written).catch(() => {
      // An unmounted form reads the stored draft, which another form may have changed.
      const typedSince = area.current ? newest.current : initial();
      const texts = [text, typedSince.text].filter((each) => each.trim() !== '');
      write(texts.join('\n\n'), [...written.mentions, ...typedSince.mentions]);
      setUploads((added) => [...uploads, ...added]);
      if (!area.current) onLost?.();
    });
  };
  /** Puts the marks of a format around the selected text. */
  const wrap = (mark: string) => {
    const field = area.current;
    if (!field) return;
    const { value, selectionStart: start, selectionEnd: end } = field;
    field.setRangeText(`${mark}${value.slice(start, end)}${mark}`);
    field.setSelectionRange(start + mark.length, end + mark.length);
    write(field.value);
    field.focus();
  };
  return { area, text, write, mentions, files, canSend, submit, wrap };
}

/** The chosen users whose names are in the text, each once. */
function mentionedIn({ text, mentions }: WrittenText): User[] {
  const named = mentions.filter((user) => text.includes(`@${nameOf(user)}`));
  return [...new Map(named.map((user) => [user.userId, user])).values()];
}

/** A field for the text of a comment. `@` offers people to mention; Ctrl+Enter or ⌘+Enter sends. */
export function TextForm(props: TextFormProps): ReactNode {
  const { label, submitLabel, rows, takesFiles = false, autoFocus, error, onCancel } = props;
  const { area, text, write, mentions, files, canSend, submit, wrap } = useTextForm(props);
  const labels = useLabels();
  const listId = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, nativeEvent } = event;
    // Safari reports the key that ends a composition only after the composition, with the key code 229.
    if (nativeEvent.isComposing || nativeEvent.keyCode === 229) return;
    const isSendKey = key === 'Enter' && (ctrlKey || metaKey);
    if (isSendKey) submit();
    const format = (ctrlKey || metaKey) && FORMATS.find((each) => each.key === key.toLowerCase());
    if (format) wrap(format.mark);
    if (isSendKey || format || mentions.handleKey(event)) event.preventDefault();
    else if (key === 'Escape') onCancel?.();
  };
  const { choices, active } = mentions;
  return (
    <form
      className="collab collab-composer"
      onSubmit={(event) => {
        event.preventDefault();
        // The focused button is about to be disabled, so the text area takes the focus.
        area.current?.focus();
        submit();
      }}
      {...(takesFiles && dropHandlers(files))}
    >
      <textarea
        ref={area}
        value={text}
        rows={rows}
        aria-label={label}
        placeholder={label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={choices.length > 0 ? listId : undefined}
        aria-activedescendant={choices.length > 0 ? `${listId}-${active}` : undefined}
        // biome-ignore lint/a11y/noAutofocus: the app or the user asks for it
        autoFocus={autoFocus}
        onChange={({ target }) => {
          write(target.value);
          mentions.suggest(target);
        }}
        onSelect={({ currentTarget }) => mentions.suggest(currentTarget)}
        onKeyDown={onKeyDown}
        onBlur={mentions.hide}
      />
      {choices.length > 0 && <Choices id={listId} {...mentions} />}
      <button type="submit" className="collab-primary" disabled={!canSend}>
        {submitLabel}
      </button>
      {onCancel && (
        <button type="button" className="collab-quiet" onClick={onCancel}>
          {labels.cancel}
        </button>
      )}
      <div className="collab-tools">
        {rows > 1 && <FormatButtons wrap={wrap} />}
        {takesFiles && <AttachButton {...files} />}
      </div>
      <UploadList {...files} />
      <Failure error={error} />
    </form>
  );
}

function FormatButtons({ wrap }: { wrap: (mark: string) => void }): ReactNode {
  const labels = useLabels();
  return (
    <>
      {FORMATS.map(({ name, mark, symbol }) => (
        <button
          key={name}
          type="button"
          className="collab-quiet"
          aria-label={labels[name]}
          // Lets the text area keep the focus and its selection.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => wrap(mark)}
        >
          {symbol}
        </button>
      ))}
    </>
  );
}

type ChoicesProps = Pick<ReturnType<typeof useMentions>, 'choices' | 'active' | 'choose'>;

function Choices({ id, choices, active, choose }: ChoicesProps & { id: string }): ReactNode {
  const { people } = useLabels();
  const { Avatar = DefaultAvatar } = useParts();
  return (
    <div id={id} className="collab-choices" role="listbox" aria-label={people}>
      {choices.map((user, at) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the text area keeps the focus
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text area also handles the keys
        <div
          key={user.userId}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === active}
          // Lets the text area keep the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(user)}
        >
          <Avatar user={user} /> {nameOf(user)}
        </div>
      ))}
    </div>
  );
}
