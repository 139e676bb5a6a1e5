import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PageSearch } from '../app/page-search.ts';
import { withoutEmpty } from '../app/use-search.ts';

interface SearchLinkProps {
  changes: PageSearch;
  className?: string;
  children: ReactNode;
}

/** A link to another view of the same page. */
export function SearchLink({ changes, ...props }: SearchLinkProps) {
  return (
    <Link
      to="."
      search={(present: PageSearch) => withoutEmpty({ ...present, ...changes })}
      preload={false}
      {...props}
    />
  );
}
