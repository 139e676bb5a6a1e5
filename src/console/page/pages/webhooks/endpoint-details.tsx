import { Badge, Group, Text } from '@mantine/core';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import { usePageKey } from '../../api/read.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyText, Facts, Json, Time } from '../../parts/basics.tsx';
import { FormButton } from '../../parts/form.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Section } from '../../parts/panel.tsx';
import { Secret } from '../../parts/secret.tsx';
import { EditEndpoint, SendTestEvent } from './endpoint-form.tsx';
import { endpointName, type Health } from './use-endpoints.ts';

interface EndpointDetailsProps {
  endpoint: WebhookEndpoint;
  health: Health | undefined;
  onDeleted: () => void;
}

/** One endpoint: its health, settings and secret, and buttons for all that can be done with it. */
export function EndpointDetails({ endpoint, health, onDeleted }: EndpointDetailsProps) {
  const { id, url, uid, metadata, filterTypes, channels, rateLimit, createdAt } = endpoint;
  const last = health?.lastAttempt;
  return (
    <>
      <EndpointActions endpoint={endpoint} onDeleted={onDeleted} />
      <Facts
        facts={{
          Status: <EndpointBadge endpoint={endpoint} health={health} />,
          'Failing since': health?.failingSince && <Time at={health.failingSince} />,
          'Last success': health?.lastSuccessAt ? <Time at={health.lastSuccessAt} /> : 'Never',
          'Last attempt': last ? <Time at={last.at} /> : 'Never',
          Pending: health?.pending ?? 0,
        }}
      />
      {last?.error && <Text c="red">The last attempt failed: {last.error}</Text>}
      <Facts
        facts={{
          ID: <CopyText text={id} />,
          'Your ID': uid && <CopyText text={uid} />,
          URL: <CopyText text={url} />,
          Channels: channels?.join(', ') || 'All channels',
          'Rate limit': rateLimit ? `${rateLimit} per second` : 'Unlimited',
          Created: <Time at={createdAt} />,
          Changed: <Time at={endpoint.updatedAt} />,
        }}
      />
      <Facts facts={{ 'Event types': filterTypes?.join(', ') || 'All event types' }} />
      {metadata && Object.keys(metadata).length > 0 && <Json value={metadata} label="Metadata" />}
      <SigningSecret endpointId={id} />
      <PageLink
        page="webhooks"
        search={{ tab: 'deliveries', endpoint: id }}
        text="All deliveries"
      />
    </>
  );
}

const HOUR_MS = 3_600_000;
const PERIODS = [
  { label: 'Last hour', value: String(HOUR_MS) },
  { label: 'Last 24 hours', value: String(24 * HOUR_MS) },
  { label: 'Last 7 days', value: String(7 * 24 * HOUR_MS) },
  // A minute less than the API allows, since the request takes time.
  { label: 'Last 14 days', value: String(14 * 24 * HOUR_MS - 60_000) },
];

function EndpointActions({ endpoint, onDeleted }: Omit<EndpointDetailsProps, 'health'>) {
  const { id, disabled } = endpoint;
  return (
    <Group gap="xs">
      {!disabled && <SendTestEvent endpointId={id} />}
      <EditEndpoint endpoint={endpoint} />
      <ActionButton
        label={disabled ? 'Enable' : 'Disable'}
        run={(call) => call('webhookEndpoints.update', { endpointId: id, disabled: !disabled })}
        notice={disabled ? 'Endpoint enabled.' : 'Endpoint disabled.'}
      />
      <FormButton
        label="Resend failed deliveries"
        submitLabel="Resend"
        fields={{
          name: 'agoMs',
          label: 'Period of the failures',
          description:
            'Includes deliveries that are waiting for a retry. Use this after an outage of your receiver.',
          options: PERIODS,
          initial: PERIODS[1]?.value,
          required: true,
        }}
        submit={(call, { agoMs }: { agoMs: string }) =>
          call('webhookEndpoints.recover', { endpointId: id, since: Date.now() - Number(agoMs) })
        }
        notice={(_, { recovered }) => `Deliveries being resent: ${recovered}.`}
      />
      <ActionButton
        label="Delete"
        run={(call) => call('webhookEndpoints.delete', { endpointId: id })}
        notice={`Deleted ${endpointName(endpoint)}.`}
        onDone={onDeleted}
        question="Delete this endpoint?"
        consequences={`This deletes ${endpointName(endpoint)} with its secret and delivery history. Pending deliveries are not sent. This cannot be undone.`}
        confirmLabel="Delete endpoint"
      />
    </Group>
  );
}

function SigningSecret({ endpointId }: { endpointId: string }) {
  const { call } = usePageKey();
  return (
    <Section title="Signing secret">
      <Secret
        label="signing secret"
        read={async () => (await call('webhookEndpoints.secret.get', { endpointId })).secret}
        replacement={{
          label: 'Rotate',
          run: () => call('webhookEndpoints.secret.rotate', { endpointId }),
          notice: 'Secret rotated. The previous one remains valid for 24 hours.',
          question: 'Rotate the signing secret?',
          consequences:
            'For 24 hours, deliveries are signed with both the new and the old secret. Update your receiver during this time.',
        }}
      />
    </Section>
  );
}

export function EndpointBadge({ endpoint, health }: Omit<EndpointDetailsProps, 'onDeleted'>) {
  if (endpoint.disabled) return <Badge color="gray">disabled</Badge>;
  if (health?.failingSince) return <Badge color="red">failing</Badge>;
  if (health?.lastSuccessAt) return <Badge color="teal">working</Badge>;
  return <Badge color="blue">unused</Badge>;
}
