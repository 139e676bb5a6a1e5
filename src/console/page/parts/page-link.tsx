import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useKey } from '../api/key.ts';
import type { PageSearch } from '../app/page-search.ts';

interface PageLinkProps {
  /** The last part of the page's path, such as `events`. */
  page: string;
  search?: PageSearch;
  children: ReactNode;
}

/** Leads to a view of another page of the same API key. */
export function PageLink({ page, search = {}, children }: PageLinkProps) {
  const { apiKey } = useKey();
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to={`/key/${apiKey}/${page}`} search={search} {...props} />}
    >
      {children}
    </Anchor>
  );
}
