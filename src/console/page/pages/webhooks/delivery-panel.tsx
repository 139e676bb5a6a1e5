import { Badge, Group, Stack, Text } from '@mantine/core';
import type { DeliveryAttempt } from '../../../../api/contract.ts';
import { useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Code, CopyText, Facts, Fold, Json, Loaded, Note, Time } from '../../parts/basics.tsx';
import { DeliveryBadge } from '../../parts/event-deliveries.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Panel, Section } from '../../parts/panel.tsx';
import { endpointNameById, isAccepted, useEndpoints } from './use-endpoints.ts';

const POLL_MS = 3_000;

/** One delivery: what every attempt sent, and what came back. */
export function DeliveryPanel() {
  const [{ delivery: deliveryId }] = usePageSearch();
  const { data: endpoints = [] } = useEndpoints();
  const delivery = useRead('console.webhooks.delivery', deliveryId ? { deliveryId } : undefined, {
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? POLL_MS : false),
  });
  return (
    <Panel parameter="delivery" title={delivery.data?.eventType ?? 'Delivery'}>
      {() => (
        <Loaded query={delivery}>
          {({ id, endpointId, eventId, status, nextAttemptAt, attempts, headers, body }) => (
            <>
              <Facts
                facts={{
                  Status: <DeliveryBadge status={status} attempts={attempts.length} />,
                  ID: <CopyText text={id} />,
                  Endpoint: endpointNameById(endpoints, endpointId),
                  'Next attempt': nextAttemptAt && <Time at={nextAttemptAt} />,
                  Event: <PageLink page="events" search={{ id: eventId }} text={eventId} />,
                }}
              />
              <Group>
                <ActionButton
                  label="Resend"
                  variant="filled"
                  run={(call) => call('webhookDeliveries.resend', { deliveryId: id })}
                  notice="The delivery is being sent again."
                />
              </Group>
              <Section title="Attempts">
                {attempts.length === 0 && <Note>No attempts yet.</Note>}
                {attempts.map((attempt, index) => (
                  <Attempt
                    key={attempt.at}
                    attempt={attempt}
                    number={index + 1}
                    isLast={index === attempts.length - 1}
                    headers={headers}
                  />
                ))}
              </Section>
              <Section title="Request body">
                {body === null ? (
                  <Note>
                    The event is no longer stored, so its body can no longer be shown or resent.
                  </Note>
                ) : (
                  <Json value={JSON.parse(body)} label="Request body" />
                )}
              </Section>
            </>
          )}
        </Loaded>
      )}
    </Panel>
  );
}

interface AttemptProps {
  attempt: DeliveryAttempt;
  number: number;
  isLast: boolean;
  headers: Record<string, string>;
}

function Attempt({ attempt, number, isLast, headers }: AttemptProps) {
  const { statusCode, error, at, latencyMs, excerpt } = attempt;
  const sent = { ...headers, 'webhook-timestamp': String(Math.floor(at / 1000)) };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  return (
    <Fold
      isOpenAtFirst={isLast}
      title={
        <>
          <b>{number}</b>{' '}
          <Badge color={isAccepted(attempt) ? 'teal' : 'red'}>{statusCode ?? 'no response'}</Badge>{' '}
          <Time at={at} />, took {latencyMs.toLocaleString('en')} ms
        </>
      }
    >
      <Stack gap="xs">
        {error && <Text c="red">{error}</Text>}
        <Note size="xs">
          Request headers. Signatures and tokens were sent as well, but are not stored.
        </Note>
        <Code text={lines.join('\n')} label="Request headers" />
        <Note size="xs">Response body</Note>
        {excerpt ? (
          <Code text={excerpt} label="Response body" />
        ) : (
          <Text>{statusCode === null ? 'No response.' : 'The response has no body.'}</Text>
        )}
      </Stack>
    </Fold>
  );
}
