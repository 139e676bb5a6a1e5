import { Group, NativeSelect, Select, Stack, Switch, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Delivery, DeliveryStatus, WebhookEndpoint } from '../../../../api/contract.ts';
import { useEventTypes } from '../../api/event-types.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { DeliveryBadge } from '../../parts/delivery-badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { done, failed } from '../../parts/notices.ts';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { BASIC_ENDPOINTS, endpointName, nameOf, useEndpoints } from './use-endpoints.ts';

const POLL_MS = 3_000;
const STATES: DeliveryStatus[] = ['pending', 'delivered', 'failed', 'disabled'];

interface Filters {
  endpointId?: string;
  status?: DeliveryStatus;
  type?: string;
}

function useFilters(): Filters {
  const [{ endpoint, status, type }] = usePageSearch();
  const state = STATES.find((one) => one === status);
  return {
    ...(endpoint && { endpointId: endpoint }),
    ...(state && { status: state }),
    ...(type && { type }),
  };
}

function useDeliveries(filters: Filters, isLive: boolean) {
  const { apiKey, client } = useKey();
  return useInfiniteQuery({
    queryKey: ['deliveries', apiKey, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: iterator, signal }) =>
      client.webhookDeliveries.get(
        { ...filters, limit: 100, ...(iterator && { iterator }) },
        { signal },
      ),
    getNextPageParam: ({ iterator }) => iterator ?? undefined,
    // Older pages would be read again and again.
    refetchInterval: ({ state }) =>
      isLive && (state.data?.pages.length ?? 1) === 1 ? POLL_MS : false,
  });
}

/** The deliveries, the newest event first, live. */
export function Deliveries() {
  const [search] = usePageSearch();
  const filters = useFilters();
  const isLive = search.live !== 'off';
  const list = useDeliveries(filters, isLive);
  const { data: endpoints = [] } = useEndpoints();
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.deliveries), [list.data]);
  const { error, isPending } = list;
  const refetch = list.refetch as () => Promise<never>;
  return (
    <Stack>
      <DeliveryFilters endpoints={endpoints} isLive={isLive} />
      <Loaded query={{ data: rows, error, isPending, refetch }} lines={8}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <NoDeliveries isFiltered={Object.keys(filters).length > 0} />
          ) : (
            <Rows
              label="Deliveries, newest event first"
              rows={deliveries}
              keyOf={({ id }) => id}
              columns={columns(endpoints)}
              opens={({ id }) => ({ delivery: id })}
              isOpen={({ id }) => id === search.delivery}
              onEnd={() => {
                if (list.hasNextPage && !list.isFetching) void list.fetchNextPage();
              }}
            />
          )
        }
      </Loaded>
      <Group justify="space-between">
        <Text size="xs" c="dimmed" role="status">
          {rows ? `${rows.length} shown` : ''}
          {list.hasNextPage ? '. Scroll for more' : ''}
        </Text>
        <Group gap="xs">
          {Object.keys(filters).length > 0 && <ResendAll deliveries={rows ?? []} />}
          <CopyCurl operation="webhookDeliveries.get" input={filters} />
        </Group>
      </Group>
    </Stack>
  );
}

/** Sends the shown deliveries of a filtered list again, one after the other. */
function ResendAll({ deliveries }: { deliveries: Delivery[] }) {
  const { apiKey, client } = useKey();
  const queries = useQueryClient();
  const many = deliveries.length === 1 ? '1 delivery' : `${deliveries.length} deliveries`;
  const resending = useMutation({
    mutationFn: async () => {
      for (const { id } of deliveries) await client.webhookDeliveries.resend({ deliveryId: id });
    },
    onSuccess: () => done(`${many} will be sent again.`),
    onError: failed,
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries', apiKey] }),
  });
  const ask = () =>
    confirmDestruction({
      title: `Resend ${many}?`,
      what: 'Receivers get all deliveries that the list shows once more, whatever their state, with the same ids.',
      act: 'Resend',
      onConfirm: () => resending.mutate(),
    });
  return (
    <ActButton
      size="compact-sm"
      variant="default"
      onClick={ask}
      disabled={deliveries.length === 0}
      loading={resending.isPending}
    >
      Resend all shown
    </ActButton>
  );
}

const columns = (endpoints: WebhookEndpoint[]): Column<Delivery>[] => [
  {
    head: 'Event',
    cell: (one) => (
      <>
        <span className="console-mono">{one.eventType}</span>
        {/* Phones have no room for more columns. */}
        <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
          {endpointName(endpoints, one.endpointId)}
        </Text>
      </>
    ),
  },
  {
    head: 'Status',
    cell: (one) => (
      <>
        <DeliveryBadge status={one.status} attempts={one.attempts.length} />
        <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
          <LastAttempt delivery={one} /> {answerOf(one)}
        </Text>
      </>
    ),
    width: '8.5rem',
  },
  {
    head: 'Endpoint',
    cell: ({ endpointId }) => endpointName(endpoints, endpointId),
    onPhones: false,
  },
  {
    head: 'Last attempt',
    cell: (one) => <LastAttempt delivery={one} />,
    width: '8rem',
    onPhones: false,
  },
  { head: 'Response', cell: answerOf, width: '9rem', onPhones: false },
  {
    head: 'Attempts',
    cell: ({ attempts }) => attempts.length,
    width: '6rem',
    onPhones: false,
  },
];

/** The status of the last response, or why there was none. */
const answerOf = ({ attempts }: Delivery) =>
  attempts.at(-1)?.statusCode ?? attempts.at(-1)?.error ?? '–';

function LastAttempt({ delivery: { attempts, nextAttemptAt } }: { delivery: Delivery }) {
  const last = attempts.at(-1);
  if (last) return <Time at={last.at} />;
  return nextAttemptAt ? <Time at={nextAttemptAt} /> : '–';
}

interface DeliveryFiltersProps {
  endpoints: WebhookEndpoint[];
  isLive: boolean;
}

function DeliveryFilters({ endpoints, isLive }: DeliveryFiltersProps) {
  const [{ endpoint, status, type }, setSearch] = usePageSearch();
  const types = useEventTypes();
  const choices = [
    ...endpoints.map((one) => ({ value: one.id, label: nameOf(one) })),
    ...Object.entries(BASIC_ENDPOINTS).map(([value, label]) => ({ value, label })),
  ];
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label="Endpoint"
        placeholder="All endpoints"
        data={choices}
        value={endpoint ?? null}
        onChange={(value) => setSearch({ endpoint: value ?? undefined })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All endpoints' }}
        w={{ base: '100%', sm: 260 }}
      />
      <NativeSelect
        label="Status"
        data={[{ value: '', label: 'Any status' }, ...STATES]}
        value={status ?? ''}
        onChange={({ currentTarget }) => setSearch({ status: currentTarget.value })}
        w={{ base: '100%', sm: 140 }}
      />
      <Select
        label="Event type"
        placeholder="All event types"
        data={types}
        value={type ?? null}
        onChange={(value) => setSearch({ type: value ?? undefined })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All event types' }}
        w={{ base: '100%', sm: 240 }}
      />
      <Switch
        label="Live"
        checked={isLive}
        onChange={({ currentTarget }) =>
          setSearch({ live: currentTarget.checked ? undefined : 'off' })
        }
        mb={8}
      />
    </Group>
  );
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No deliveries found">Remove a filter, or wait: new deliveries appear here.</Empty>
  ) : (
    <Empty title="No deliveries yet">
      Create an endpoint. Every event that is sent to it appears here immediately.
    </Empty>
  );
}
