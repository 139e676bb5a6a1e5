import { useCallback } from 'react';
import { usePageSearch } from '../../app/use-search.ts';

const KINDS = ['organization', 'folder', 'document', 'user', 'group'] as const;
export type EntryKind = (typeof KINDS)[number];

export interface Opened {
  kind: EntryKind;
  id: string;
}

/** The entry whose details are shown. It stands in the address as `document:launch`. */
export function useOpened(): [Opened | undefined, (next: Opened | undefined) => void] {
  const [{ open }, change] = usePageSearch();
  const set = useCallback(
    (next: Opened | undefined) => change({ open: next && `${next.kind}:${next.id}` }, 'push'),
    [change],
  );
  const at = open?.indexOf(':') ?? -1;
  const kind = KINDS.find((each) => each === open?.slice(0, at));
  return [kind && open ? { kind, id: open.slice(at + 1) } : undefined, set];
}
