import { Alert, Badge, Box, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useKey, useRead } from '../../api/read.ts';
import { CallCode } from '../../parts/calls.tsx';
import { Json } from '../../parts/code.tsx';
import { EventDeliveries } from '../../parts/event-deliveries.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Failure, Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/text.tsx';
import { type Act, eventsOf, isComplete, type Performance } from './acts.ts';

interface TraceProps {
  act: Act;
  input: object;
  /** Undefined until the act was done. */
  performance: Performance | undefined;
  error: unknown;
}

/** How long events are waited for: the content of a document may follow its edit by seconds. */
const PATIENCE_MS = 10_000;

/** The effects of an act, step by step. */
export function Trace({ act, input, performance, error }: TraceProps) {
  const { apiKey } = useKey();
  const events = useQuery({
    queryKey: ['playground-events', apiKey, act.id, performance?.cursor],
    queryFn: () => (performance ? eventsOf(apiKey, performance) : []),
    enabled: performance !== undefined,
    refetchInterval: ({ state }) => {
      const isDone = !performance || isComplete(performance, state.data ?? []);
      return isDone || Date.now() - performance.at > PATIENCE_MS ? false : 600;
    },
  });
  const found = performance ? (events.data ?? []) : [];
  return (
    <Stack gap="sm">
      <Text size="sm">{act.about}</Text>
      <Step number={1} title="The call">
        <CallCode name={act.operation} input={input} />
      </Step>
      <Step
        number={2}
        title="The answer"
        note={performance && <Badge color="teal">{`in ${performance.ms} ms`}</Badge>}
      >
        {Boolean(error) && <Failure error={error} />}
        {performance?.answer != null && <Json value={performance.answer} label="The answer" />}
        {performance && performance.answer == null && (
          <Text size="xs">Success. This operation returns no data.</Text>
        )}
        {!performance && !error && <NotYet />}
      </Step>
      <Step
        number={3}
        title={act.events.length > 1 ? 'The events' : 'The event'}
        note={found.map(({ id, type }) => <Badge key={id}>{type}</Badge>)}
      >
        {events.error && <Failure error={events.error} retry={() => void events.refetch()} />}
        {found.map((event) => (
          <Json key={event.id} value={event} label={`The event ${event.type}`} />
        ))}
        {performance &&
          found.length === 0 &&
          !events.error &&
          (Date.now() - performance.at > PATIENCE_MS ? (
            <Alert color="gray">No event was recorded, because nothing changed.</Alert>
          ) : (
            <Skeleton height={60} role="status" aria-label="Waiting for the event" />
          ))}
        {!performance && <NotYet />}
      </Step>
      <Step number={4} title="The webhook">
        {found[0] ? <Webhooks eventId={found[0].id} /> : <NotYet />}
      </Step>
    </Stack>
  );
}

/** The webhooks that the event left as, followed until each has had its first attempt. */
function Webhooks({ eventId }: { eventId: string }) {
  const event = useRead(
    'console.events.inspect',
    { eventId },
    {
      refetchInterval: (data) =>
        Date.now() - (data?.at ?? 0) > PATIENCE_MS ||
        (data?.deliveries.length && data.deliveries.every(({ attempts }) => attempts > 0))
          ? false
          : 1_000,
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
            <PageLink page="webhooks">Create an endpoint</PageLink>
          </Note>
        )
      }
    </Loaded>
  );
}

type StepProps = { number: number; title: string; note?: ReactNode; children: ReactNode };

function Step({ number, title, note, children }: StepProps) {
  return (
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
}

const NotYet = () => <Note size="xs">Press the button above to see it.</Note>;
