import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/**
 * The search parameters of each page: its tab, its filters, and the opened entry. They are in
 * the address, so that a view can be shared. All other parameters are left out.
 */
const SEARCH = {
  overview: ['span'],
  requests: ['operation', 'apiKey', 'outcome', 'slowerThan', 'until', 'live', 'request'],
  playground: ['tab', 'act', 'operation', 'tool', 'input'],
  webhooks: ['tab', 'endpoint', 'status', 'type', 'delivery', 'live'],
  events: ['type', 'organizationId', 'documentId', 'id', 'live'],
  directory: ['organization', 'tab', 'folder', 'open', 'q'],
  access: ['organization', 'user', 'document', 'folder', 'if', 'on', 'role', 'until'],
  'live-documents': ['organization', 'document', 'editor', 'tab', 'list', 'from', 'to'],
  feedback: [
    ...['tab', 'annotation', 'why', 'event', 'user', 'notification', 'record'],
    ...['organizationId', 'documentId', 'userIds', 'statusIds'],
  ],
  memory: ['tab', 'organizationId', 'reviewer', 'decision', 'judge', 'judgment'],
  settings: ['tab', 'opened', 'user', 'job', 'q'],
} as const;

export type PageName = keyof typeof SEARCH;

/** Whether a page is about the server, and not about an API key. */
export const isOfServer = (page: PageName): boolean => page === 'overview' || page === 'requests';

/** Pages of an API key have the key in their address, so that the address can be shared. */
export const pathOf = (page: PageName, apiKey: string): string =>
  isOfServer(page) ? `/${page}` : `/key/${apiKey}/${page}`;

export type PageSearch = { [Name in (typeof SEARCH)[PageName][number]]?: string | undefined };

/** Reads the parameters of a page as texts. Parameters of other pages, and empty ones, are left out. */
export const readSearch =
  (page: PageName) =>
  (search: Record<string, unknown>): PageSearch =>
    Object.fromEntries(
      SEARCH[page].flatMap((name) => {
        const value = search[name];
        const isText = value !== undefined && value !== '' && typeof value !== 'object';
        return isText ? [[name, String(value)]] : [];
      }),
    );

/**
 * The parameters of the page in the address, and the function that changes some of them. With `push`,
 * going back undoes the change, as for an opened row; the letters of a search are not undone one by one.
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

/** The changes that remove parameters from the address. */
export const cleared = (names: ReadonlyArray<keyof PageSearch>): PageSearch =>
  Object.fromEntries(names.map((name) => [name, undefined]));

/** Parameters without a value are left out of addresses. */
export const withoutEmpty = (search: PageSearch): PageSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value));
