import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useKey } from '../../api/key.ts';

const POLL_MS = 4_000;

export interface EventFilters {
  types: string[];
  organizationId?: string;
  documentId?: string;
}

/** The newest events first. While only the newest are shown, new ones appear by themselves. */
export function useEventLog(filters: EventFilters, isLive: boolean) {
  const { apiKey, own } = useKey();
  const log = useInfiniteQuery({
    queryKey: ['event log', apiKey, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: before, signal }) =>
      own.events.list.query({ ...filters, ...(before && { before }) }, { signal }),
    getNextPageParam: ({ before }) => before ?? undefined,
    refetchInterval: ({ state }) =>
      isLive && (state.data?.pages.length ?? 1) === 1 ? POLL_MS : false,
  });
  const events = useMemo(() => log.data?.pages.flatMap((page) => page.events), [log.data]);
  return { ...log, events, isPaused: isLive && (log.data?.pages.length ?? 0) > 1 };
}

export type EventLine = NonNullable<ReturnType<typeof useEventLog>['events']>[number];
