import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useKey } from '../../api/key.ts';
import { RENEWED_WHILE_SHORT } from '../../api/use-pages.ts';

const POLL_MS = 4_000;
/** The most that the server gives, so that one who scrolls far waits seldom. */
const OLDER_AT_ONCE = 500;

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
      own.events.list.query(
        { ...filters, ...(before && { before, limit: OLDER_AT_ONCE }) },
        { signal },
      ),
    getNextPageParam: ({ before }) => before ?? undefined,
    structuralSharing: false,
    ...RENEWED_WHILE_SHORT,
    refetchInterval: ({ state }) =>
      isLive && (state.data?.pages.length ?? 1) === 1 ? POLL_MS : false,
  });
  const events = useMemo(() => log.data?.pages.flatMap((page) => page.events), [log.data]);
  return { ...log, events, isPaused: isLive && (log.data?.pages.length ?? 0) > 1 };
}

export type EventLine = NonNullable<ReturnType<typeof useEventLog>['events']>[number];
