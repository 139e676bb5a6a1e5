import { useEffect, useState } from 'react';
import type { User } from '../../../api/contract.ts';
import { usePlace } from '../collaboration.tsx';
import { useSelf } from '../live-hooks.ts';

/** The text of a field, and the users who were chosen for its mentions. */
export interface WrittenText {
  text: string;
  mentions: User[];
}

const NOTHING: WrittenText = { text: '', mentions: [] };

/**
 * The unsent text of a field, kept across reloads in the tab's storage, for its user alone.
 *
 * @param field names the field; undefined: the text is not kept
 */
export function useDraft(field: string | undefined) {
  const { organizationId, documentId } = usePlace();
  const userId = useSelf()?.userId;
  const isKept = field !== undefined && userId !== undefined;
  const name = isKept && JSON.stringify(['draft', userId, organizationId, documentId, field]);
  const [kept, setKept] = useState<WrittenText>();
  // A server that renders the page has no storage.
  useEffect(() => {
    if (name) setKept(readDraft(name));
  }, [name]);
  return {
    /** The text that was written before the page was loaded; undefined until it is known. */
    kept,
    keep(written: WrittenText): void {
      if (name) storeDraft(name, written);
    },
  };
}

function readDraft(name: string): WrittenText {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? '') as WrittenText;
  } catch {
    return NOTHING;
  }
}

/** Stores a draft, unless the storage is full or forbidden. */
function storeDraft(name: string, written: WrittenText): void {
  try {
    if (written.text === '') sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(written));
  } catch {}
}
