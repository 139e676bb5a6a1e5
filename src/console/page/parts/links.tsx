import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePageKey } from '../api/read.ts';
import { type PageName, type PageSearch, pathOf, withoutEmpty } from '../app/search.ts';

interface PageLinkProps {
  page: PageName;
  search?: PageSearch;
  /** The API key of the other page; by default that of this one. */
  apiKey?: string | undefined;
  /** The colour of the text, where the colour of links has too little contrast. */
  c?: string;
  text: string;
}

/** A link to a page of the console. */
export function PageLink({ page, search = {}, apiKey, c, text }: PageLinkProps) {
  const { apiKey: pageKey } = usePageKey();
  const to = pathOf(page, apiKey ?? pageKey);
  return (
    <Anchor c={c} renderRoot={(props) => <Link to={to} search={withoutEmpty(search)} {...props} />}>
      {text}
    </Anchor>
  );
}

/** A link to a page of the documentation, which opens in another tab. */
export const DocsLink = ({ page, text }: { page: string; text: string }) => (
  <Anchor href={`/docs/${page}`} target="_blank">
    {text}
  </Anchor>
);

/** The protocols that a stored address may have. Others, such as `javascript:`, get no link. */
const SAFE_PROTOCOLS = new Set(['http:', 'https:', 'mailto:']);

/** A link to an address that a customer stored. It shows nothing if the address is not safe to follow. */
export function StoredLink({ address, children }: { address: unknown; children: ReactNode }) {
  const isSafe =
    typeof address === 'string' &&
    URL.canParse(address) &&
    SAFE_PROTOCOLS.has(new URL(address).protocol);
  return isSafe ? (
    <Anchor href={address} target="_blank" rel="noopener noreferrer" inherit>
      {children}
    </Anchor>
  ) : null;
}
