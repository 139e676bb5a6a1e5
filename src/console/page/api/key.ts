import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { CollaborationClient } from '../../../client/index.ts';
import { clientFor, consoleApi, consoleApiFor } from './client.ts';

const LAST = 'console.last-key';

/** The API keys that the person may choose. */
export const keysQuery = {
  queryKey: ['keys'],
  queryFn: ({ signal }: { signal: AbortSignal }) => consoleApi.keys.list.query({}, { signal }),
  staleTime: 60_000,
};

interface PageKey {
  apiKey: string;
  /** The operations of the API, on behalf of the key. */
  client: CollaborationClient;
  /** The console's own operations about the key. */
  own: typeof consoleApi;
}

/** The API key of the page's address, with what calls on its behalf. */
export function useKey(): PageKey {
  const { apiKey = '' } = useParams({ strict: false }) as { apiKey?: string };
  return { apiKey, client: clientFor(apiKey), own: consoleApiFor(apiKey) };
}

/** The key of the address or, on pages without one, the last that was chosen, or the first. */
export function usePresentKey() {
  const { apiKey: named } = useParams({ strict: false }) as { apiKey?: string };
  const { data } = useQuery(keysQuery);
  const keys = data?.keys ?? [];
  const wanted = named ?? localStorage.getItem(LAST);
  const found = keys.find(({ apiKey }) => apiKey === wanted);
  return { keys, key: found ?? (named === undefined ? keys[0] : undefined), isKnown: !!data };
}

export const rememberKey = (apiKey: string): void => localStorage.setItem(LAST, apiKey);
