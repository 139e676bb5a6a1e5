import { Badge } from '@mantine/core';
import type { DeliveryStatus } from '../../../api/contract.ts';
import type { OutputOf } from '../api/client.ts';
import { PageLink } from './links.tsx';
import { ShortTable } from './rows.tsx';

type EventDeliveriesProps = Pick<OutputOf<'console.events.inspect'>, 'deliveries'>;

/** The webhook deliveries of an event, each with a link to its attempts. */
export const EventDeliveries = ({ deliveries }: EventDeliveriesProps) => (
  <ShortTable
    label="Deliveries"
    rows={deliveries}
    keyOf={({ id }) => id}
    emptyText="Not sent to any webhook endpoint."
    minWidth={300}
    columns={[
      {
        head: 'Endpoint',
        cell: ({ id, description, endpointId }) => (
          <PageLink
            page="webhooks"
            search={{ tab: 'deliveries', delivery: id }}
            text={description || endpointId}
          />
        ),
      },
      { head: 'Status', cell: (delivery) => <DeliveryBadge {...delivery} /> },
      { head: 'Attempts', cell: ({ attempts }) => attempts },
    ]}
  />
);

const COLORS: Record<DeliveryStatus, string> = {
  delivered: 'teal',
  pending: 'blue',
  failed: 'red',
  disabled: 'gray',
};

interface DeliveryBadgeProps {
  status: DeliveryStatus;
  /** How many attempts were made. While a delivery is pending, all of them have failed. */
  attempts: number;
}

export function DeliveryBadge({ status, attempts }: DeliveryBadgeProps) {
  if (status === 'pending' && attempts > 0) return <Badge color="orange">retrying</Badge>;
  return <Badge color={COLORS[status]}>{status}</Badge>;
}
