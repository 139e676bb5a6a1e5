import type { OutputOf } from '../api/client.ts';
import { DeliveryBadge } from './delivery-badge.tsx';
import { PageLink } from './links.tsx';
import { ShortTable } from './rows.tsx';

interface EventDeliveriesProps {
  deliveries: OutputOf<'console.events.inspect'>['deliveries'];
}

/** The webhooks that an event left as, each with a link to its attempts. */
export const EventDeliveries = ({ deliveries }: EventDeliveriesProps) => (
  <ShortTable
    label="Deliveries"
    rows={deliveries}
    keyOf={({ id }) => id}
    minWidth={300}
    columns={[
      {
        head: 'Endpoint',
        cell: ({ id, description, endpointId }) => (
          <PageLink page="webhooks" search={{ tab: 'deliveries', delivery: id }}>
            {description || endpointId}
          </PageLink>
        ),
      },
      { head: 'Status', cell: (delivery) => <DeliveryBadge {...delivery} /> },
      { head: 'Attempts', cell: ({ attempts }) => attempts },
    ]}
  />
);
