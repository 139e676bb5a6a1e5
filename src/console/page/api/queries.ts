import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { failureOf, isSignedOut } from './failure.ts';
import { sessionQuery } from './session.ts';

/** The one cache of the page. Whatever finds the session ended leads to the sign-in. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
  mutationCache: new MutationCache({ onError: noticeEnd }),
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
  if (isSignedOut(failureOf(error))) void queries.invalidateQueries(sessionQuery);
}
