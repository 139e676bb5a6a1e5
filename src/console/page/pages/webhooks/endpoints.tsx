import { Stack, Text } from '@mantine/core';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import { useRead } from '../../api/read.ts';
import { Loaded, Time } from '../../parts/basics.tsx';
import { type Column, onWide, Rows } from '../../parts/rows.tsx';
import { AdvancedSwitch } from './configuration.tsx';
import { EndpointBadge, EndpointDetails } from './endpoint-details.tsx';
import { endpointName, type Health, useEndpoints } from './use-endpoints.ts';

const POLL_MS = 5_000;

/** All endpoints. They are shown once their health is known: without it, each of them would look unused. */
export function Endpoints() {
  const endpoints = useEndpoints();
  const health = useRead('console.webhooks.health', {}, { refetchInterval: POLL_MS });
  const healthOf = (id: string) => health.data?.endpoints.find((one) => one.endpointId === id);
  return (
    <Stack>
      <Loaded query={health}>
        {() => (
          <Loaded query={endpoints}>
            {(all) => (
              <Rows
                label="Webhook endpoints"
                rows={all}
                keyOf={({ id }) => id}
                columns={columns(healthOf)}
                panel={{
                  parameter: 'endpoint',
                  title: 'Endpoint',
                  nameOf: endpointName,
                  show: (one, close) => (
                    <EndpointDetails endpoint={one} health={healthOf(one.id)} onDeleted={close} />
                  ),
                }}
                emptyTitle="No endpoints yet"
                emptyText="Create one. From then on, it receives all events or only the types that you select."
              />
            )}
          </Loaded>
        )}
      </Loaded>
      <div>
        <AdvancedSwitch isEnabled />
      </div>
    </Stack>
  );
}

type HealthOf = (endpointId: string) => Health | undefined;

const columns = (healthOf: HealthOf): Column<WebhookEndpoint>[] => [
  {
    head: 'Endpoint',
    cell: (endpoint) => (
      <>
        <Text truncate>{endpointName(endpoint)}</Text>
        {endpoint.description && (
          <Text size="xs" c="dimmed" truncate>
            {endpoint.url}
          </Text>
        )}
      </>
    ),
  },
  {
    head: 'Status',
    cell: (endpoint) => <EndpointBadge endpoint={endpoint} health={healthOf(endpoint.id)} />,
    width: '7rem',
  },
  { head: 'Event types', cell: typesText, ...onWide('9rem') },
  { head: 'Last hour', cell: ({ id }) => lastHourText(healthOf(id)), ...onWide('11rem') },
  {
    head: 'Last success',
    cell: ({ id }) => <Time at={healthOf(id)?.lastSuccessAt} />,
    ...onWide('7.5rem'),
  },
  {
    head: 'Pending',
    cell: ({ id }) => healthOf(id)?.pending.toLocaleString('en') ?? '0',
    width: '6rem',
  },
];

function typesText({ filterTypes }: WebhookEndpoint): string | undefined {
  const [only, ...others] = filterTypes ?? ['All event types'];
  return others.length === 0 ? only : `${others.length + 1} event types`;
}

function lastHourText(health: Health | undefined): string {
  if (!health?.lastHour.total) return '–';
  const { delivered, failed, total } = health.lastHour;
  const { format } = new Intl.NumberFormat('en');
  return failed > 0
    ? `${format(failed)} of ${format(total)} failed`
    : `${format(delivered)} of ${format(total)} delivered`;
}
