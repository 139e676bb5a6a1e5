import { useMemo } from 'react';
import type { User } from '../../../api/contract.ts';
import { usePlace } from '../collaboration.tsx';
import { useSelf } from '../live-hooks.ts';

/** The text of a field, and the users who were chosen for its mentions. */
export interface WrittenText {
  text: string;
  mentions: User[];
}

export const NOTHING: WrittenText = { text: '', mentions: [] };

/**
 * The unsent texts of the document's fields, kept across reloads in the tab's storage, for their user alone.
 *
 * @returns undefined until the user is known
 */
export function useDraftStore() {
  const { organizationId, documentId } = usePlace();
  const userId = useSelf()?.userId;
  return useMemo(() => {
    if (userId === undefined) return undefined;
    const nameOf = (field: string) =>
      JSON.stringify(['draft', userId, organizationId, documentId, field]);
    return {
      read: (field: string) => readDraft(nameOf(field)),
      write: (field: string, written: WrittenText) => storeDraft(nameOf(field), written),
    };
  }, [userId, organizationId, documentId]);
}

function readDraft(name: string): WrittenText {
  try {
    const stored = sessionStorage.getItem(name);
    if (stored !== null) return JSON.parse(stored) as WrittenText;
  } catch {}
  return NOTHING;
}

/** Stores a draft, unless the storage is full or forbidden. */
function storeDraft(name: string, written: WrittenText): void {
  try {
    if (written.text === '') sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(written));
  } catch {}
}
