import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/**
 * The search parameters of each page: its tab, its filters, and the opened entry. They are part of the address, so
 * that a view can be shared. All other parameters are ignored.
 */
const PAGE_PARAMETERS = {
  overview: ['span'],
  requests: ['operation', 'apiKey', 'outcome', 'slowerThan', 'until', 'live', 'request'],
  playground: ['tab', 'act', 'operation', 'tool', 'input'],
  webhooks: ['tab', 'endpoint', 'status', 'type', 'delivery', 'live'],
  events: ['type', 'organizationId', 'documentId', 'id', 'live'],
  directory: ['organization', 'tab', 'folder', 'open', 'q'],
  access: ['organization', 'user', 'document', 'folder', 'if', 'on', 'role', 'until'],
  'live-documents': ['organization', 'document', 'editor', 'tab', 'list', 'from', 'to'],
  feedback: [
    'tab',
    'annotation',
    'why',
    'event',
    'user',
    'notification',
    'record',
    'organizationId',
    'documentId',
    'userIds',
    'statusIds',
  ],
  memory: ['tab', 'organizationId', 'reviewer', 'decision', 'judge', 'judgment'],
  settings: ['tab', 'opened', 'user', 'job', 'q'],
} as const;

export type PageName = keyof typeof PAGE_PARAMETERS;

/** Whether a page is about the server, and not about an API key. */
export const isServerPage = (page: PageName): boolean => page === 'overview' || page === 'requests';

/** The path of a page. If the page is about an API key, the path contains the key, so that it can be shared. */
export const pathOf = (page: PageName, apiKey: string): string =>
  isServerPage(page) ? `/${page}` : `/key/${apiKey}/${page}`;

export type PageSearch = {
  [Name in (typeof PAGE_PARAMETERS)[PageName][number]]?: string | undefined;
};

/** Returns a function that reads the parameters of a page as texts, without empty ones and those of other pages. */
export const readSearch =
  (page: PageName) =>
  (search: Record<string, unknown>): PageSearch =>
    Object.fromEntries(
      PAGE_PARAMETERS[page].flatMap((name) => {
        const value = search[name];
        const isText = value !== undefined && value !== '' && typeof value !== 'object';
        return isText ? [[name, String(value)]] : [];
      }),
    );

/**
 * Returns the parameters of the page in the address, and a function that changes some of them. With `push`, the
 * browser's back button undoes the change. It skips other changes, such as the single letters of a search.
 */
export function usePageSearch(): [PageSearch, (changes: PageSearch, how?: 'push') => void] {
  const search: PageSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: PageSearch, how?: 'push') => {
      void navigate({
        to: '.',
        replace: how !== 'push',
        search: (current: PageSearch) => withoutEmpty({ ...current, ...changes }),
      });
    },
    [navigate],
  );
  return [search, change];
}

/** The changes that remove parameters from the address. */
export const cleared = (names: ReadonlyArray<keyof PageSearch>): PageSearch =>
  Object.fromEntries(names.map((name) => [name, undefined]));

/** Leaves out parameters without a value, so that they do not appear in the address. */
export const withoutEmpty = (search: PageSearch): PageSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value));
