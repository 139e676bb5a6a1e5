import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { PageSearch } from './page-search.ts';

/**
 * The filters of a page, which stand in its address, and the function that changes some of them.
 * Going back leads through acts such as opening a row, not through every letter of a search.
 */
export function usePageSearch(): [PageSearch, (changes: PageSearch, how?: 'push') => void] {
  const search: PageSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: PageSearch, how?: 'push') => {
      void navigate({
        to: '.',
        replace: how !== 'push',
        search: (present: PageSearch) => withoutEmpty({ ...present, ...changes }),
      });
    },
    [navigate],
  );
  return [search, change];
}

/** Parameters without a value are left out of addresses. */
export const withoutEmpty = (search: PageSearch): PageSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value));
