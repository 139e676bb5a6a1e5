import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { toCollaborationError } from '../../../client/error.ts';
import { sessionQuery } from './session.ts';

/**
 * The only cache of the page. If a call is refused because the session has ended, the session is read again, and the
 * page leads to the sign-in page. After a change, everything that the page shows is read again.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: checkSession }),
  mutationCache: new MutationCache({
    onError: checkSession,
    onSettled: () => void queryClient.invalidateQueries(),
  }),
  defaultOptions: {
    // While the browser is offline, a call fails at once instead of waiting without a sign.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 10_000,
      // The API client already retries calls that may succeed later.
      retry: false,
    },
  },
});

function checkSession(error: unknown): void {
  if (toCollaborationError(error).status === 'UNAUTHENTICATED')
    void queryClient.invalidateQueries(sessionQuery);
}
