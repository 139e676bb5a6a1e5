import { Alert, Badge, Box, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { usePageKey, useRead } from '../../api/read.ts';
import { Failure, Json, Loaded, Note } from '../../parts/basics.tsx';
import { CallCode } from '../../parts/calls.tsx';
import { EventDeliveries } from '../../parts/event-deliveries.tsx';
import { PageLink } from '../../parts/links.tsx';
import { type DoneAction, eventsOf, hasAllEvents, type ServerAction } from './server-actions.ts';

interface TraceProps {
  action: ServerAction;
  input: object;
  /** Undefined until the action has been run. */
  done: DoneAction | undefined;
  error: unknown;
}

/** How long to wait for events. The event of an edit follows some seconds after the edit. */
const EVENT_TIMEOUT_MS = 10_000;

/** The effects of an action, step by step. */
export function Trace({ action, input, done, error }: TraceProps) {
  const { apiKey } = usePageKey();
  const events = useQuery({
    queryKey: ['playground-events', apiKey, action.id, done?.cursor],
    queryFn: () => (done ? eventsOf(apiKey, done) : []),
    enabled: done !== undefined,
    // The last read must come after the timeout, since `isTooLate` compares the time of that read.
    refetchInterval: ({ state }) => {
      const readAt = Math.max(state.dataUpdatedAt, state.errorUpdatedAt);
      const isDone = !done || hasAllEvents(done, state.data ?? []);
      return isDone || readAt - done.startedAt > EVENT_TIMEOUT_MS ? false : 600;
    },
  });
  const shownEvents = done ? (events.data ?? []) : [];
  const isTooLate = done !== undefined && events.dataUpdatedAt - done.startedAt > EVENT_TIMEOUT_MS;
  return (
    <Stack gap="sm">
      <Text>{action.description}</Text>
      <Step number={1} title="The call">
        <CallCode name={action.operation} input={input} />
      </Step>
      <Step
        number={2}
        title="The response"
        note={done && <Badge color="teal">{`in ${done.durationMs} ms`}</Badge>}
      >
        {Boolean(error) && <Failure error={error} />}
        {done?.answer != null && <Json value={done.answer} label="The response" />}
        {done && done.answer == null && (
          <Text size="xs">Success. This operation returns no data.</Text>
        )}
        {!done && !error && <NotYet />}
      </Step>
      <Step
        number={3}
        title={action.events.length > 1 ? 'The events' : 'The event'}
        note={shownEvents.map(({ id, type }) => <Badge key={id}>{type}</Badge>)}
      >
        {events.error && <Failure error={events.error} retry={() => void events.refetch()} />}
        {shownEvents.map((event) => (
          <Json key={event.id} value={event} label={`The event ${event.type}`} />
        ))}
        {done &&
          shownEvents.length === 0 &&
          !events.error &&
          (isTooLate ? (
            <Alert color="gray">No event was recorded, because nothing changed.</Alert>
          ) : (
            <Skeleton height={60} role="status" aria-label="Waiting for the event" />
          ))}
        {!done && <NotYet />}
      </Step>
      <Step number={4} title="The webhook">
        {shownEvents[0] ? <Webhooks eventId={shownEvents[0].id} /> : <NotYet />}
      </Step>
    </Stack>
  );
}

/** The webhook deliveries of the event, read again until each of them has had its first attempt. */
function Webhooks({ eventId }: { eventId: string }) {
  const event = useRead(
    'console.events.inspect',
    { eventId },
    {
      refetchInterval: ({ state: { data } }) => {
        const isOld = Date.now() - (data?.at ?? 0) > EVENT_TIMEOUT_MS;
        const { deliveries = [] } = data ?? {};
        const wereAllTried =
          deliveries.length > 0 && deliveries.every(({ attempts }) => attempts > 0);
        return isOld || wereAllTried ? false : 1_000;
      },
    },
  );
  return (
    <Loaded query={event} lines={1}>
      {({ deliveries }) =>
        deliveries.length > 0 ? (
          <EventDeliveries deliveries={deliveries} />
        ) : (
          <Note size="xs">
            No webhook was sent, because no endpoint receives this event type.{' '}
            <PageLink page="webhooks" text="Create an endpoint" />
          </Note>
        )
      }
    </Loaded>
  );
}

type StepProps = { number: number; title: string; note?: ReactNode; children: ReactNode };

const Step = ({ number, title, note, children }: StepProps) => (
  <Box>
    <Group gap={6} mb={4}>
      <Title order={3} size="xs" fw={650}>
        {number}. {title}
      </Title>
      {note}
    </Group>
    {children}
  </Box>
);

const NotYet = () => <Note size="xs">Press the highlighted button above to see this.</Note>;
