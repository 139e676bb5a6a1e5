import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

interface PageOf<Row> {
  data: Row[];
  nextPageToken?: string | undefined;
}

type ReadPage<Row> = (
  page: { pageToken?: string },
  options: { signal: AbortSignal },
) => Promise<PageOf<Row>>;

/** The rows of a list that is read page after page, as far as somebody scrolled. */
export interface PagedList<Row> {
  rows: Row[];
  /** For `Loaded`. */
  query: {
    data: Row[] | undefined;
    error: Error | null;
    isPending: boolean;
    refetch: () => Promise<never>;
  };
  /** Reads the next page, if there is one. */
  readMore: () => void;
  hasMore: boolean;
}

/** A list of many pages is not read again by itself: each of its pages would be a request. */
export const RENEWED_WHILE_SHORT = {
  refetchOnMount: isShort,
  refetchOnWindowFocus: isShort,
  refetchOnReconnect: isShort,
};

function isShort({ state }: { state: { data?: unknown } }): boolean {
  const { pages = [] } = (state.data ?? {}) as Partial<InfiniteData<unknown>>;
  return pages.length <= 1;
}

/**
 * Reads a list by pages: `usePages(['documents', input], (page, options) =>
 * client.documents.get({ ...input, ...page }, options))`.
 */
export function usePages<Row>(queryKey: readonly unknown[], read: ReadPage<Row>): PagedList<Row> {
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      read(pageParam === undefined ? {} : { pageToken: pageParam }, { signal }),
    getNextPageParam: (last) => last.nextPageToken,
    // Comparing a hundred pages with their successors would take longer than showing them.
    structuralSharing: false,
    ...RENEWED_WHILE_SHORT,
  });
  const { data, error, isPending, isFetching, isFetchNextPageError, hasNextPage } = list;
  const { fetchNextPage, refetch } = list;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  const readMore = useCallback(() => {
    // A failed page is read again by hand, not by each movement of the list.
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  const retry = () => (isFetchNextPageError ? fetchNextPage() : refetch()) as Promise<never>;
  return {
    rows: rows ?? [],
    query: { data: rows, error, isPending, refetch: retry },
    readMore,
    hasMore: hasNextPage,
  };
}
