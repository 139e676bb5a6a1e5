import { Stack, Text } from '@mantine/core';
import type { Delivery, DeliveryStatus, WebhookEndpoint } from '../../../../api/contract.ts';
import { useEventTypes } from '../../api/api-description.ts';
import { usePages } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Time } from '../../parts/basics.tsx';
import { DeliveryBadge } from '../../parts/event-deliveries.tsx';
import { Filters } from '../../parts/filters.tsx';
import { type Column, onWide, PagedRows } from '../../parts/rows.tsx';
import { BASIC_ENDPOINTS, endpointName, endpointNameById, useEndpoints } from './use-endpoints.ts';

const POLL_MS = 3_000;
const STATUSES: DeliveryStatus[] = ['pending', 'delivered', 'failed', 'disabled'];

/** The deliveries, newest event first, with live updates. */
export function Deliveries() {
  const [{ endpoint, status: statusInAddress, type, live }] = usePageSearch();
  const status = STATUSES.find((one) => one === statusInAddress);
  const isFiltered = Boolean(endpoint || status || type);
  const input = { endpointId: endpoint, status, type, limit: 100 };
  const list = usePages('webhookDeliveries.get', input, {
    pageOf: ({ deliveries, iterator }) => ({ data: deliveries, next: iterator }),
    token: 'iterator',
    pollMs: live === 'off' ? undefined : POLL_MS,
  });
  const { data: endpoints = [] } = useEndpoints();
  const types = useEventTypes();
  const choices = [
    ...endpoints.map((one) => ({ value: one.id, label: endpointName(one) })),
    ...Object.entries(BASIC_ENDPOINTS).map(([value, label]) => ({ value, label })),
  ];
  return (
    <Stack>
      <Filters
        hasLiveSwitch
        filters={[
          { name: 'endpoint', label: 'Endpoint', options: choices, placeholder: 'All endpoints' },
          { name: 'status', label: 'Status', options: STATUSES, placeholder: 'Any status' },
          { name: 'type', label: 'Event type', options: types, placeholder: 'All event types' },
        ]}
      >
        {isFiltered && <ResendAll deliveries={list.query.data ?? []} />}
      </Filters>
      <PagedRows
        list={list}
        label="Deliveries, newest event first"
        keyOf={({ id }) => id}
        columns={columns(endpoints)}
        opens={({ id }) => ({ delivery: id })}
        isFiltered={isFiltered}
        emptyTitle="No deliveries yet"
        emptyText="Create an endpoint. Every event that is sent to it appears here immediately."
      />
    </Stack>
  );
}

/** A button that resends the shown deliveries of a filtered list, one after the other. */
function ResendAll({ deliveries }: { deliveries: Delivery[] }) {
  const deliveryCount = deliveries.length === 1 ? '1 delivery' : `${deliveries.length} deliveries`;
  return (
    <ActionButton
      label="Resend all shown"
      size="sm"
      variant="default"
      color="indigo"
      disabled={deliveries.length === 0}
      run={async (call) => {
        for (const { id } of deliveries) await call('webhookDeliveries.resend', { deliveryId: id });
      }}
      notice={`${deliveryCount} will be sent again.`}
      question={`Resend ${deliveryCount}?`}
      consequences="All deliveries in the list are sent once more, whatever their status, with the same IDs."
      confirmLabel="Resend"
    />
  );
}

const columns = (endpoints: WebhookEndpoint[]): Column<Delivery>[] => [
  {
    head: 'Event',
    cell: (delivery) => (
      <>
        <span className="console-mono">{delivery.eventType}</span>
        {/* Phones have no room for more columns. */}
        <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
          {endpointNameById(endpoints, delivery.endpointId)}
        </Text>
      </>
    ),
  },
  {
    head: 'Status',
    cell: (delivery) => (
      <>
        <DeliveryBadge status={delivery.status} attempts={delivery.attempts.length} />
        <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
          {lastAttemptOf(delivery)} · {responseOf(delivery)}
        </Text>
      </>
    ),
    width: '8.5rem',
  },
  {
    head: 'Endpoint',
    cell: ({ endpointId }) => endpointNameById(endpoints, endpointId),
    wideOnly: true,
  },
  { head: 'Last attempt', cell: lastAttemptOf, ...onWide('8rem') },
  { head: 'Response', cell: responseOf, ...onWide('9rem') },
  { head: 'Attempts', cell: ({ attempts }) => attempts.length, ...onWide('6rem') },
];

/** The status of the last response, or why there was none. */
const responseOf = ({ attempts }: Delivery) =>
  attempts.at(-1)?.statusCode ?? attempts.at(-1)?.error ?? '–';

const lastAttemptOf = ({ attempts }: Delivery) => <Time at={attempts.at(-1)?.at} />;
