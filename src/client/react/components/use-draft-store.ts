import { useMemo } from 'react';
import type { User } from '../../../api/contract.ts';
import { useDocumentRef } from '../collaboration.tsx';
import { useSelf } from '../live-hooks.ts';

/** The text of a field, and the users who were chosen for its mentions. */
export interface WrittenText {
  text: string;
  mentions: User[];
}

export const EMPTY_TEXT: WrittenText = { text: '', mentions: [] };

/**
 * Keeps the unsent texts of the document's fields in the tab's storage, separately for each user. They survive a
 * reload.
 *
 * @returns undefined until the user is known
 */
export function useDraftStore() {
  const { organizationId, documentId } = useDocumentRef();
  const userId = useSelf()?.userId;
  return useMemo(() => {
    if (userId === undefined) return undefined;
    const storageKeyOf = (field: string) =>
      JSON.stringify(['draft', userId, organizationId, documentId, field]);
    return {
      read: (field: string) => readDraft(storageKeyOf(field)),
      write: (field: string, written: WrittenText) => storeDraft(storageKeyOf(field), written),
    };
  }, [userId, organizationId, documentId]);
}

function readDraft(key: string): WrittenText {
  try {
    const stored = sessionStorage.getItem(key);
    if (stored !== null) return JSON.parse(stored) as WrittenText;
  } catch {}
  return EMPTY_TEXT;
}

/** Stores a draft, unless the storage is full or forbidden. */
function storeDraft(key: string, written: WrittenText): void {
  try {
    if (written.text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(written));
  } catch {}
}
