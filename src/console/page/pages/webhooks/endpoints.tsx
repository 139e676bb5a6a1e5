import { Alert, Group, Stack, Text } from '@mantine/core';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { AdvancedSwitch } from './advanced-webhooks.tsx';
import { EndpointBadge } from './endpoint-badge.tsx';
import { EndpointPanel } from './endpoint-panel.tsx';
import { type Health, nameOf, useEndpoints, useHealth } from './use-endpoints.ts';

/** All endpoints with their health. */
export function Endpoints() {
  const [search, setSearch] = usePageSearch();
  const endpoints = useEndpoints();
  const health = useHealth();
  const open = endpoints.data?.find(({ id }) => id === search.endpoint);
  return (
    <Stack>
      {health.error && <Failure error={health.error} retry={() => void health.refetch()} />}
      <Loaded query={endpoints}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No endpoints yet">
              Create one for your server. It receives every event from then on, or only the types
              that you select.
            </Empty>
          ) : (
            <Rows
              label="Webhook endpoints"
              rows={all}
              keyOf={({ id }) => id}
              columns={columns(health.data)}
              opens={({ id }) => ({ endpoint: id })}
              isOpen={({ id }) => id === search.endpoint}
            />
          )
        }
      </Loaded>
      <Group justify="space-between">
        <AdvancedSwitch isEnabled />
        <CopyCurl operation="webhookEndpoints.get" input={{}} />
      </Group>
      {search.endpoint && endpoints.data && !open && (
        <Alert color="yellow" title={`Endpoint ${search.endpoint} not found`} role="status">
          It was deleted, or it belongs to another API key.
        </Alert>
      )}
      {open && (
        <EndpointPanel
          endpoint={open}
          health={health.data?.get(open.id)}
          onClose={() => setSearch({ endpoint: undefined })}
        />
      )}
    </Stack>
  );
}

const columns = (health: Map<string, Health> | undefined): Column<WebhookEndpoint>[] => [
  {
    head: 'Endpoint',
    cell: (one) => (
      <>
        <Text size="sm" truncate>
          {nameOf(one)}
        </Text>
        {one.description && (
          <Text size="xs" c="dimmed" truncate>
            {one.url}
          </Text>
        )}
      </>
    ),
  },
  {
    head: 'Status',
    cell: (one) => <EndpointBadge endpoint={one} health={health?.get(one.id)} />,
    width: '7rem',
  },
  {
    head: 'Events',
    cell: ({ filterTypes }) =>
      filterTypes ? `${filterTypes.length} event types` : 'All event types',
    width: '7rem',
    onPhones: false,
  },
  {
    head: 'Last hour',
    cell: ({ id }) => <LastHour health={health?.get(id)} />,
    width: '11rem',
    onPhones: false,
  },
  {
    head: 'Last success',
    cell: ({ id }) => {
      const at = health?.get(id)?.lastSuccessAt;
      return at ? <Time at={at} /> : '–';
    },
    width: '7.5rem',
    onPhones: false,
  },
  {
    head: 'Waiting',
    cell: ({ id }) => health?.get(id)?.pending.toLocaleString('en') ?? '0',
    width: '6rem',
  },
];

function LastHour({ health }: { health: Health | undefined }) {
  if (!health?.lastHour.total) return '–';
  const { delivered, failed: lost, total } = health.lastHour;
  const { format } = new Intl.NumberFormat('en');
  return (
    <Text size="sm" truncate>
      {lost > 0
        ? `${format(lost)} of ${format(total)} failed`
        : `${format(delivered)} of ${format(total)} delivered`}
    </Text>
  );
}
