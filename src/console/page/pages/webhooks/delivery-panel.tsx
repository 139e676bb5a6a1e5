import { Accordion, Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { DeliveryAttempt, WebhookEndpoint } from '../../../../api/contract.ts';
import { useKey } from '../../api/key.ts';
import { queries } from '../../api/queries.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { DeliveryBadge } from '../../parts/delivery-badge.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Json } from '../../parts/json.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { done, failed } from '../../parts/notices.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Time } from '../../parts/time.tsx';
import { endpointName } from './use-endpoints.ts';

const POLL_MS = 3_000;

interface DeliveryPanelProps {
  deliveryId: string | undefined;
  endpoints: WebhookEndpoint[];
  onClose: () => void;
}

/** One delivery: what every attempt sent, and what came back. */
export function DeliveryPanel({ deliveryId = '', endpoints, onClose }: DeliveryPanelProps) {
  const { apiKey, own } = useKey();
  const delivery = useQuery({
    queryKey: ['delivery', apiKey, deliveryId],
    queryFn: ({ signal }) => own.webhooks.delivery.query({ deliveryId }, { signal }),
    enabled: deliveryId !== '',
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? POLL_MS : false),
  });
  return (
    <SidePanel
      title={delivery.data?.eventType ?? 'Delivery'}
      isOpen={deliveryId !== ''}
      onClose={onClose}
    >
      <Loaded query={delivery}>
        {({ id, endpointId, eventId, status, nextAttemptAt, attempts, headers, body }) => (
          <Stack>
            <Facts
              facts={{
                Status: <DeliveryBadge status={status} attempts={attempts.length} />,
                Endpoint: endpointName(endpoints, endpointId),
                'Next attempt': nextAttemptAt ? <Time at={nextAttemptAt} /> : undefined,
                Event: (
                  <PageLink page="events" search={{ id: eventId }}>
                    {eventId}
                  </PageLink>
                ),
              }}
            />
            <CopyText text={id} label="delivery ID" />
            <Group gap="xs">
              <Resend deliveryId={id} />
              <CopyCurl operation="webhookDeliveries.resend" input={{ deliveryId: id }} />
            </Group>
            <Title order={2} size="h5">
              Attempts
            </Title>
            <Attempts attempts={attempts} headers={headers} />
            <Title order={2} size="h5">
              Request body
            </Title>
            {body === null ? (
              <Text size="sm" c="dimmed">
                The event has expired, so its body can no longer be shown or resent.
              </Text>
            ) : (
              <Json value={JSON.parse(body)} label="Request body" />
            )}
          </Stack>
        )}
      </Loaded>
    </SidePanel>
  );
}

function Resend({ deliveryId }: { deliveryId: string }) {
  const { client } = useKey();
  const resending = useMutation({
    mutationFn: () => client.webhookDeliveries.resend({ deliveryId }),
    onSuccess: () => done('The delivery is being sent again.'),
    onError: failed,
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['delivery'] });
      void queries.invalidateQueries({ queryKey: ['deliveries'] });
    },
  });
  return (
    <ActButton size="xs" onClick={() => resending.mutate()} loading={resending.isPending}>
      Resend
    </ActButton>
  );
}

interface AttemptsProps {
  attempts: DeliveryAttempt[];
  headers: Record<string, string>;
}

function Attempts({ attempts, headers }: AttemptsProps) {
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No attempts yet.
      </Text>
    );
  }
  const last = attempts.length;
  return (
    <Accordion defaultValue={String(last)} variant="contained">
      {attempts.map((attempt, index) => (
        <Accordion.Item key={attempt.at} value={String(index + 1)}>
          <Accordion.Control>
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {index + 1}
              </Text>
              <Badge color={isGood(attempt) ? 'teal' : 'red'}>
                {attempt.statusCode ?? 'no response'}
              </Badge>
              <Text size="sm">
                <Time at={attempt.at} />, took {attempt.latencyMs.toLocaleString('en')} ms
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <OneAttempt attempt={attempt} headers={headers} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

const isGood = ({ statusCode, error }: DeliveryAttempt): boolean =>
  error === null && statusCode !== null && statusCode < 300;

interface OneAttemptProps {
  attempt: DeliveryAttempt;
  headers: Record<string, string>;
}

function OneAttempt({ attempt, headers }: OneAttemptProps) {
  const sent = { ...headers, 'webhook-timestamp': String(Math.floor(attempt.at / 1000)) };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  return (
    <Stack gap="xs">
      {attempt.error && (
        <Text size="sm" c="red">
          {attempt.error}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        Request headers. Signatures and tokens are sent as well, but not stored.
      </Text>
      <Code block>{lines.join('\n')}</Code>
      <Text size="xs" c="dimmed">
        Response body
      </Text>
      {attempt.excerpt ? (
        <Code block className="console-answer">
          {attempt.excerpt}
        </Code>
      ) : (
        <Text size="sm">{attempt.statusCode === null ? 'No response.' : 'Empty.'}</Text>
      )}
    </Stack>
  );
}
