import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { failureOf } from './failure.ts';
import { sessionQuery } from './session.ts';

/**
 * The one cache of the page. Whatever finds the session ended leads to the sign-in, and after a
 * change everything in sight is read again.
 */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({
    onError: noticeEnd,
    onSettled: () => void queries.invalidateQueries(),
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // The client has repeated what may succeed later.
      retry: false,
      refetchIntervalInBackground: false,
      throwOnError: false,
    },
  },
});

function noticeEnd(error: unknown): void {
  if (failureOf(error).status === 'UNAUTHENTICATED') void queries.invalidateQueries(sessionQuery);
}
