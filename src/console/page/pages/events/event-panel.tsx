import { Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { DeliveryBadge } from '../../parts/delivery-badge.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Json } from '../../parts/json.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Time } from '../../parts/time.tsx';

interface EventPanelProps {
  eventId: string | undefined;
  onClose: () => void;
}

/** One event: where it happened, its data, and the webhooks that it left as. */
export function EventPanel({ eventId = '', onClose }: EventPanelProps) {
  const { apiKey, own } = useKey();
  const event = useQuery({
    queryKey: ['event', apiKey, eventId],
    queryFn: ({ signal }) => own.events.inspect.query({ eventId }, { signal }),
    enabled: eventId !== '',
  });
  return (
    <SidePanel title={event.data?.type ?? 'Event'} isOpen={eventId !== ''} onClose={onClose}>
      <Loaded query={event}>
        {({ id, type, at, organizationId, documentId, data, deliveries }) => (
          <Stack>
            <Facts
              facts={{
                ID: <CopyText text={id} />,
                Type: (
                  <PageLink page="webhooks" search={{ tab: 'types', type }}>
                    {type}
                  </PageLink>
                ),
                When: <Time at={at} />,
                Organization: organizationId ? <CopyText text={organizationId} /> : undefined,
                Document: documentId ? <CopyText text={documentId} /> : undefined,
              }}
            />
            <Group>
              <CopyText text={location.href} shown="permalink" />
            </Group>
            <Deliveries deliveries={deliveries} />
            <Title order={2} size="h5">
              Data
            </Title>
            <Json value={data} label="Data of the event" />
          </Stack>
        )}
      </Loaded>
    </SidePanel>
  );
}

interface DeliveryLine {
  id: string;
  endpointId: string;
  description: string | null;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
}

function Deliveries({ deliveries }: { deliveries: DeliveryLine[] }) {
  return (
    <div>
      <Title order={2} size="h5">
        Deliveries
      </Title>
      {deliveries.length === 0 ? (
        <Text size="sm" c="dimmed">
          Not sent to any webhook endpoint.
        </Text>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Endpoint</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Attempts</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {deliveries.map(({ id, endpointId, description, status, attempts }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <PageLink page="webhooks" search={{ tab: 'deliveries', delivery: id }}>
                    {description || endpointId}
                  </PageLink>
                </Table.Td>
                <Table.Td>
                  <DeliveryBadge status={status} attempts={attempts} />
                </Table.Td>
                <Table.Td>{attempts}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </div>
  );
}
