import { Badge, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Delivery, Event, WebhookEndpoint } from '../../../../api/contract.ts';
import type { CollaborationClient } from '../../../../client/index.ts';
import { clientFor } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { Act } from '../../parts/act.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { deliveriesOf, type Performance } from './perform.ts';

interface WebhookStepProps {
  performance: Performance;
  events: Event[];
}

/** A first attempt that has not ended by then is looked at on the page of webhooks. */
const PATIENCE_MS = 20_000;

/** The deliveries of the events to the endpoints of the key, or how to make an endpoint. */
export function WebhookStep({ performance, events }: WebhookStepProps) {
  const { apiKey } = useKey();
  const endpoints = useQuery({
    queryKey: ['playground-endpoints', apiKey],
    queryFn: () => readEndpoints(clientFor(apiKey)),
  });
  return (
    <Loaded query={endpoints} lines={1}>
      {(found) =>
        found.length === 0 ? (
          <NewEndpoint />
        ) : (
          <Deliveries performance={performance} events={events} endpoints={found} />
        )
      }
    </Loaded>
  );
}

/** A key without webhooks refuses to list its endpoints, and they get nothing. */
async function readEndpoints(client: CollaborationClient): Promise<WebhookEndpoint[]> {
  const { isEnabled } = await client.advancedWebhookConfig.get({});
  return isEnabled ? (await client.webhookEndpoints.get({ limit: 50 })).endpoints : [];
}

const isTried = ({ status, attempts }: Delivery) => status === 'disabled' || attempts.length > 0;

function Deliveries({
  performance,
  events,
  endpoints,
}: WebhookStepProps & { endpoints: WebhookEndpoint[] }) {
  const { apiKey } = useKey();
  const isOver = () => Date.now() - performance.at > PATIENCE_MS;
  const deliveries = useQuery({
    queryKey: ['playground-deliveries', apiKey, events.map(({ id }) => id)],
    queryFn: () => deliveriesOf(clientFor(apiKey), performance, events),
    enabled: events.length > 0,
    refetchInterval: ({ state: { data = [] } }) =>
      isOver() || (data.length > 0 && data.every(isTried)) ? false : 1_000,
  });
  const found = deliveries.data ?? [];
  if (deliveries.error) {
    return <Failure error={deliveries.error} retry={() => void deliveries.refetch()} />;
  }
  if (found.length === 0) {
    return isOver() ? (
      <Text size="xs" c="dimmed">
        No webhook was sent: no endpoint takes this type, or webhooks are off. <ToWebhooks />
      </Text>
    ) : (
      <Skeleton height={40} role="status" aria-label="Waiting for the webhook" />
    );
  }
  return (
    <Stack gap={6}>
      {found.map((delivery) => (
        <OneDelivery key={delivery.id} delivery={delivery} endpoints={endpoints} />
      ))}
      <Text size="xs" c="dimmed">
        The body is the event of step 3, signed. <ToWebhooks />
      </Text>
    </Stack>
  );
}

const ToWebhooks = () => <PageLink page="webhooks">All deliveries</PageLink>;

const COLORS = { delivered: 'teal', failed: 'red', pending: 'yellow', disabled: 'gray' } as const;

interface OneDeliveryProps {
  delivery: Delivery;
  endpoints: WebhookEndpoint[];
}

function OneDelivery({ delivery, endpoints }: OneDeliveryProps) {
  const { status, endpointId, eventId, eventType, attempts } = delivery;
  const url = endpoints.find(({ id }) => id === endpointId)?.url ?? endpointId;
  const last = attempts.at(-1);
  return (
    <Stack gap={2} className="console-code">
      <Group gap={6}>
        <Badge color={COLORS[status]} tt="none">
          {status}
        </Badge>
        <Text size="xs">{eventType}</Text>
      </Group>
      <span>POST {url}</span>
      <span>webhook-id: {eventId}</span>
      {last && (
        <span>
          {last.statusCode === null ? last.error : `answered ${last.statusCode}`} after{' '}
          {last.latencyMs} ms
        </span>
      )}
    </Stack>
  );
}

/** Makes an endpoint and switches webhooks on, which a key that never had one has off. */
function NewEndpoint() {
  const { call } = useKey();
  const [url, setUrl] = useState('');
  return (
    <Stack gap={6}>
      <TextInput
        size="xs"
        type="url"
        label="No webhook was sent, since this key has no endpoint. Where should webhooks go?"
        placeholder="https://example.com/webhooks"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <Group>
        <Act
          disabled={url.trim() === ''}
          run={async () => {
            await call('advancedWebhookConfig.update', { isEnabled: true });
            await call('webhookEndpoints.create', { url: url.trim(), description: 'Playground' });
          }}
          said="The endpoint is there. Press the button again."
        >
          Create endpoint
        </Act>
      </Group>
    </Stack>
  );
}
