import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { toCollaborationError } from '../../../client/error.ts';
import { sessionQuery } from './session.ts';

/**
 * The one cache of the page. A call refused for its session leads to a check of the session, and so to
 * the sign-in. After a change, everything that the page shows is read again.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: checkSession }),
  mutationCache: new MutationCache({
    onError: checkSession,
    onSettled: () => void queryClient.invalidateQueries(),
  }),
  defaultOptions: {
    // Offline, a call fails at once instead of waiting unseen.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: 10_000,
      // The client has already repeated calls that may succeed later.
      retry: false,
    },
  },
});

function checkSession(error: unknown): void {
  if (toCollaborationError(error).status === 'UNAUTHENTICATED')
    void queryClient.invalidateQueries(sessionQuery);
}
