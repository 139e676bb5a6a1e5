import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call, type InputOf, type OutputOf } from './client.ts';

const LAST = 'console.last-key';

/** The API keys that the person may choose. */
export const keysQuery = {
  queryKey: ['keys'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('', 'console.keys.list', {}, signal),
  staleTime: 60_000,
};

/** The API key of the page's address, with the function that calls operations on its behalf. */
export function useKey() {
  const { apiKey = '' } = useParams({ strict: false }) as { apiKey?: string };
  return {
    apiKey,
    call: <Name extends string>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>> =>
      call(apiKey, name, input),
  };
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
