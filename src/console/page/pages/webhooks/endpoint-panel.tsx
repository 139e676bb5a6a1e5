import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Json } from '../../parts/json.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Secret } from '../../parts/secret.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Time } from '../../parts/time.tsx';
import { EndpointActs, RotateSecret } from './endpoint-acts.tsx';
import { EndpointBadge } from './endpoint-badge.tsx';
import { RecoverEndpoint } from './recover-endpoint.tsx';
import { type Health, nameOf } from './use-endpoints.ts';

interface EndpointPanelProps {
  endpoint: WebhookEndpoint;
  health: Health | undefined;
  onClose: () => void;
}

/** One endpoint: health, settings, secret and what can be done with it. */
export function EndpointPanel({ endpoint, health, onClose }: EndpointPanelProps) {
  const { client } = useKey();
  const { id, metadata } = endpoint;
  return (
    <SidePanel title={nameOf(endpoint)} isOpen onClose={onClose}>
      <EndpointActs endpoint={endpoint} onGone={onClose} />
      <HealthFacts endpoint={endpoint} health={health} />
      <SettingsFacts endpoint={endpoint} />
      {metadata && Object.keys(metadata).length > 0 && <Json value={metadata} label="Metadata" />}
      <Title order={2} size="h5">
        Signing secret
      </Title>
      <Group>
        <Secret
          key={`${id} ${endpoint.updatedAt}`}
          label="signing secret"
          read={async () => (await client.webhookEndpoints.secret.get({ endpointId: id })).secret}
        />
        <RotateSecret endpointId={id} />
      </Group>
      <Title order={2} size="h5">
        Resend failed deliveries
      </Title>
      <RecoverEndpoint key={id} endpointId={id} />
      <Group>
        <PageLink page="webhooks" search={{ tab: 'deliveries', endpoint: id }}>
          All deliveries
        </PageLink>
        <CopyCurl operation="webhookDeliveries.get" input={{ endpointId: id }} />
      </Group>
    </SidePanel>
  );
}

function HealthFacts({ endpoint, health }: Omit<EndpointPanelProps, 'onClose'>) {
  const last = health?.lastAttempt;
  return (
    <Stack gap="xs">
      <Facts
        facts={{
          Status: <EndpointBadge endpoint={endpoint} health={health} />,
          'Failing since': health?.failingSince ? <Time at={health.failingSince} /> : undefined,
          'Last success': health?.lastSuccessAt ? <Time at={health.lastSuccessAt} /> : 'Never',
          'Last attempt': last ? <Time at={last.at} /> : 'Never',
          Pending: health?.pending ?? 0,
        }}
      />
      {last?.error && (
        <Text size="sm" c="red">
          The last attempt failed: {last.error}
        </Text>
      )}
    </Stack>
  );
}

function SettingsFacts({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, url, uid, filterTypes, channels, rateLimit, createdAt, updatedAt } = endpoint;
  return (
    <Stack gap="xs">
      <Facts
        facts={{
          ID: <CopyText text={id} />,
          'Your ID': uid ? <CopyText text={uid} /> : undefined,
          URL: <CopyText text={url} />,
          'Rate limit': rateLimit ? `${rateLimit} per second` : 'Unlimited',
          Created: <Time at={createdAt} />,
          Changed: <Time at={updatedAt} />,
        }}
      />
      <Chosen name="Event types" values={filterTypes} all="All event types" />
      <Chosen name="Channels" values={channels} all="All channels" />
    </Stack>
  );
}

function Chosen({ name, values, all }: { name: string; values: string[] | null; all: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      {values?.length ? (
        <Group gap={4}>
          {values.map((value) => (
            <Badge key={value} color="gray" tt="none">
              {value}
            </Badge>
          ))}
        </Group>
      ) : (
        <Text size="sm">{all}</Text>
      )}
    </div>
  );
}
