import {
  type InfiniteData,
  keepPreviousData,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { call, type InputOf, type OutputOf } from './client.ts';
import { queryClient } from './query-client.ts';

const LAST_KEY = 'console.last-key';

/** The API keys that the person may choose. */
export const keysQuery = {
  queryKey: ['keys'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('', 'console.keys.list', {}, signal),
  staleTime: 60_000,
};

export type KeyCall = <Name extends string>(
  name: Name,
  input: InputOf<Name>,
) => Promise<OutputOf<Name>>;

/** The API key in the address of the page, and a function that calls operations on its behalf. */
export function usePageKey(): { apiKey: string; call: KeyCall } {
  const { apiKey = '' } = useParams({ strict: false }) as { apiKey?: string };
  return { apiKey, call: (name, input) => call(apiKey, name, input) };
}

/** The key in the address of the page. On pages about the server: the key that was chosen last, or the first one. */
export function useChosenKey() {
  const { apiKey: keyInAddress } = useParams({ strict: false }) as { apiKey?: string };
  const { data } = useQuery(keysQuery);
  const keys = data?.keys ?? [];
  const chosen = keyInAddress ?? localStorage.getItem(LAST_KEY);
  const found = keys.find(({ apiKey }) => apiKey === chosen);
  // If the address names an unknown key, no other key takes its place.
  const key = found ?? (keyInAddress === undefined ? keys[0] : undefined);
  return { keys, key, hasLoaded: data !== undefined };
}

export const rememberKey = (apiKey: string): void => localStorage.setItem(LAST_KEY, apiKey);

interface ReadOptions<Output, Data>
  extends Pick<UseQueryOptions<Output, Error, Data>, 'select' | 'refetchInterval' | 'staleTime'> {
  /** Whether the previous data stay visible while the data for another input are loading. */
  keepsPrevious?: boolean;
  /** The version of the content to read. The operation is called again when the version changes. */
  version?: number | undefined;
}

/**
 * Reads data with an operation, for the API key of the page: `useRead('documents.get', { organizationId })`.
 * Nothing is read while the input is undefined. Because of `NoInfer`, the uses of the data do not decide its type.
 */
export function useRead<Name extends string, Data = OutputOf<Name>>(
  name: Name,
  input: InputOf<Name> | undefined,
  { keepsPrevious, version, ...options }: ReadOptions<OutputOf<Name>, Data> = {},
): UseQueryResult<NoInfer<Data>> {
  const { apiKey } = usePageKey();
  return useQuery<OutputOf<Name>, Error, Data>({
    ...options,
    queryKey: [name, apiKey, input, version],
    queryFn: ({ signal }) => call(apiKey, name, input as InputOf<Name>, signal),
    enabled: input !== undefined,
    ...(keepsPrevious && { placeholderData: keepPreviousData as never }),
  }) as UseQueryResult<Data>;
}

/** Selects the only row of a list that was read by one id; null if it does not exist. */
export const firstOf = <Row>({ data }: { data: Row[] }): Row | null => data[0] ?? null;

/** The part of a query that `Loaded` shows. */
export type LoadedQuery<Data> = Pick<
  UseQueryResult<Data>,
  'data' | 'error' | 'isPending' | 'refetch'
>;

/** The rows of a list that reads further pages as the person scrolls. */
export interface PagedList<Row> {
  query: LoadedQuery<Row[]>;
  readMore: () => void;
  hasMore: boolean;
  /** Whether polling for newer rows has stopped because older pages were read. */
  isPaused: boolean;
  /** Forgets all pages, and reads the newest page. */
  restart: () => void;
}

interface PagesOptions<Output, Row> {
  /** Reads the rows and the token of the next page; by default those of `{ data, nextPageToken }`. */
  pageOf?: (output: Output) => { data: Row[]; next: string | null | undefined };
  /** The field of the input that takes the token. */
  token?: string;
  /** How often the newest page is read again, until an older page is read. */
  pollMs?: number | undefined;
}

type RowOf<Output> = Output extends { data: Array<infer Row> } ? Row : never;

const defaultPageOf = (output: unknown) => {
  const { data, nextPageToken } = output as { data: never[]; nextPageToken?: string };
  return { data, next: nextPageToken };
};

/** Reads a list by pages: `usePages('documents.get', { organizationId })`. */
export function usePages<Name extends string, Row = RowOf<OutputOf<Name>>>(
  name: Name,
  input: InputOf<Name>,
  { pageOf = defaultPageOf, token = 'pageToken', pollMs }: PagesOptions<OutputOf<Name>, Row> = {},
): PagedList<Row> {
  const { apiKey } = usePageKey();
  const queryKey = [name, apiKey, input, 'pages'];
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam === undefined ? {} : { [token]: pageParam };
      return pageOf(await call(apiKey, name, { ...(input as object), ...page } as never, signal));
    },
    getNextPageParam: ({ next }) => next ?? undefined,
    // Comparing a hundred pages with their new versions would take longer than showing them.
    structuralSharing: false,
    // A list of several pages is not refreshed automatically, since each page would be a request.
    refetchOnMount: hasOnePage,
    refetchOnWindowFocus: hasOnePage,
    refetchOnReconnect: hasOnePage,
    refetchInterval: (query) => (pollMs !== undefined && hasOnePage(query) ? pollMs : false),
  });
  const { data, error, isPending, isFetching, isFetchNextPageError, hasNextPage } = list;
  const { fetchNextPage, refetch } = list;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data as Row[]), [data]);
  const readMore = useCallback(() => {
    // After a failure, only the button `Try again` reads the page. Scrolling does not.
    if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  const retry = () => (isFetchNextPageError ? fetchNextPage() : refetch()) as Promise<never>;
  return {
    query: { data: rows, error, isPending, refetch: retry },
    readMore,
    hasMore: hasNextPage,
    isPaused: pollMs !== undefined && data !== undefined && data.pages.length > 1,
    restart: () => void queryClient.resetQueries({ queryKey }),
  };
}

/** Whether only the newest page has been read. */
function hasOnePage({ state }: { state: { data?: unknown } }): boolean {
  const { pages = [] } = (state.data ?? {}) as Partial<InfiniteData<unknown>>;
  return pages.length <= 1;
}
