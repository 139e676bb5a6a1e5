import { Button, Group, Switch, Text } from '@mantine/core';
import { queries } from '../../api/queries.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EventTypeFilter, readTypes } from '../../parts/event-type-filter.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { Time } from '../../parts/time.tsx';
import { EventPanel } from './event-panel.tsx';
import { type EventFilters, type EventLine, useEventLog } from './use-event-log.ts';

const COLUMNS: Column<EventLine>[] = [
  { head: 'Type', cell: ({ type }) => <span className="console-mono">{type}</span> },
  { head: 'When', cell: ({ at }) => <Time at={at} />, width: '7rem' },
  { head: 'Organization', cell: ({ organizationId }) => organizationId ?? '–', onPhones: false },
  { head: 'Document', cell: ({ documentId }) => documentId ?? '–', onPhones: false },
  {
    head: 'ID',
    cell: ({ id }) => <span className="console-mono">{id}</span>,
    onPhones: false,
    width: '13rem',
  },
];

/** The event log of the key, the newest first. */
export function Events() {
  const [search, setSearch] = usePageSearch();
  const { type, organizationId, documentId, id, live } = search;
  const types = readTypes(type);
  const filters: EventFilters = {
    types,
    ...(organizationId && { organizationId }),
    ...(documentId && { documentId }),
  };
  const isLive = live !== 'off';
  const log = useEventLog(filters, isLive);
  const isFiltered = types.length > 0 || !!organizationId || !!documentId;
  return (
    <Page
      title="Events"
      about="Everything that happened in this key. Webhooks, notifications and emails are based on it."
      actions={<CopyCurl operation="events.get" input={types.length > 0 ? { types } : {}} />}
    >
      <Group align="flex-end" gap="sm">
        <EventTypeFilter
          label="Event types"
          types={types}
          onChange={(chosen) => setSearch({ type: chosen.join(',') })}
        />
        <TextFilter
          label="Organization ID"
          value={organizationId}
          onChange={(value) => setSearch({ organizationId: value })}
        />
        <TextFilter
          label="Document ID"
          value={documentId}
          onChange={(value) => setSearch({ documentId: value })}
        />
        <Switch
          label="Live"
          checked={isLive}
          onChange={({ currentTarget }) =>
            setSearch({ live: currentTarget.checked ? undefined : 'off' })
          }
          mb={8}
        />
        {log.isPaused && (
          <Button
            variant="light"
            size="compact-sm"
            mb={6}
            onClick={() => void queries.resetQueries({ queryKey: ['event log'] })}
          >
            Paused. Back to the newest
          </Button>
        )}
      </Group>
      <Loaded query={asList(log)} lines={8}>
        {(events) =>
          events.length === 0 && !log.hasNextPage ? (
            <NoEvents isFiltered={isFiltered} />
          ) : (
            <>
              <Rows
                label="Events, newest first"
                rows={events}
                keyOf={(event) => event.id}
                columns={COLUMNS}
                opens={(event) => ({ id: event.id })}
                isOpen={(event) => event.id === id}
                onEnd={() => {
                  if (log.hasNextPage && !log.isFetching) void log.fetchNextPage();
                }}
              />
              <LogEnd
                count={events.length}
                hasMore={log.hasNextPage}
                isReading={log.isFetchingNextPage}
                onMore={() => void log.fetchNextPage()}
              />
            </>
          )
        }
      </Loaded>
      <EventPanel eventId={id} onClose={() => setSearch({ id: undefined })} />
    </Page>
  );
}

const asList = ({ events, error, isPending, refetch }: ReturnType<typeof useEventLog>) => ({
  data: events,
  error,
  isPending,
  refetch: refetch as () => Promise<never>,
});

interface LogEndProps {
  count: number;
  hasMore: boolean;
  isReading: boolean;
  onMore: () => void;
}

function LogEnd({ count, hasMore, isReading, onMore }: LogEndProps) {
  return (
    <Group justify="space-between">
      <Text size="xs" c="dimmed" role="status">
        {count} events{hasMore ? ' so far' : ', including the oldest that are stored'}
      </Text>
      {hasMore && (
        <Button size="compact-sm" variant="default" loading={isReading} onClick={onMore}>
          Load older
        </Button>
      )}
    </Group>
  );
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No events found">Remove a filter, or wait: new events appear here.</Empty>
  ) : (
    <Empty title="No events yet">
      Add a document or comment, for example in the playground. Its event appears here immediately.
    </Empty>
  );
}
