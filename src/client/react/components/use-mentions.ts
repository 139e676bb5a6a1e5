import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { User } from '../../../api/contract.ts';
import { useMembers } from '../live-hooks.ts';
import { nameOf } from './comment-text.tsx';

/**
 * Matches a mention that is being typed at the end of a text. Not every script has spaces, so the `@` may follow any
 * character that cannot be part of an email address. Combining marks (`\p{M}`) belong to the letters of some scripts.
 */
const MENTION_AT_END = /(?<![\w.+-])@([\p{L}\p{M}\p{N}._'’-]*)$/u;
const MAX_CHOICES = 6;

/** Offers users to mention after an `@` in a text area. @param onMention called with the new text and the chosen user */
export function useMentions(
  area: RefObject<HTMLTextAreaElement | null>,
  onMention: (text: string, user: User) => void,
) {
  const { users } = useMembers();
  /** The text after the `@`; undefined while nobody is being mentioned. */
  const [query, setQuery] = useState<string>();
  /** The index of the choice that Enter takes. */
  const [active, setActive] = useState(0);
  const choices =
    query === undefined ? [] : users.filter(matchesQuery(query)).slice(0, MAX_CHOICES);
  // React puts the cursor at the end of a changed text. Afterwards, move the cursor to the end of the inserted name.
  const nextCursor = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (nextCursor.current === undefined) return;
    area.current?.setSelectionRange(nextCursor.current, nextCursor.current);
    nextCursor.current = undefined;
  });
  /** Call this whenever the text or its cursor has changed. */
  const suggest = ({ value, selectionStart }: HTMLTextAreaElement) => {
    setQuery(MENTION_AT_END.exec(value.slice(0, selectionStart))?.[1]);
    setActive(0);
  };
  const hide = () => setQuery(undefined);
  const choose = (user: User) => {
    if (!area.current || query === undefined) return;
    const { value, selectionStart } = area.current;
    const before = `${value.slice(0, selectionStart - query.length)}${nameOf(user)} `;
    onMention(before + value.slice(selectionStart), user);
    hide();
    nextCursor.current = before.length;
    area.current.focus();
  };
  /** Handles a key for the list of choices. @returns whether the list has used the key */
  const handleKey = ({ key }: KeyboardEvent): boolean => {
    const user = choices[active];
    if (!user) return false;
    if (key === 'ArrowDown') setActive((active + 1) % choices.length);
    else if (key === 'ArrowUp') setActive((active + choices.length - 1) % choices.length);
    else if (key === 'Enter' || key === 'Tab') choose(user);
    else if (key === 'Escape') hide();
    else return false;
    return true;
  };
  return { choices, active, suggest, hide, choose, handleKey };
}

const matchesQuery =
  (query: string) =>
  (user: User): boolean =>
    [user.name, user.email, user.userId].some((text = '') =>
      text.toLowerCase().includes(query.toLowerCase()),
    );
