import { Stack, Text, Title } from '@mantine/core';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Time } from '../../parts/time.tsx';
import { describe, type ThreadPlace, useThreadHistory } from './thread-events.ts';
import { WhyForm } from './why-form.tsx';

/** The history of a thread, and the users whom it notified. */
export function ThreadHistory({ place }: { place: ThreadPlace }) {
  const history = useThreadHistory(place);
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        History
      </Title>
      <Loaded query={history}>
        {(events) =>
          events.length === 0 ? (
            <Text size="sm" c="dimmed">
              No events are stored for this thread any more.
            </Text>
          ) : (
            <ol className="feedback-steps">
              {events.map((event) => (
                <li key={event.id}>
                  <Text size="sm" span>
                    {describe(event)}
                  </Text>{' '}
                  <Text size="xs" c="dimmed" span>
                    <Time at={event.at} />
                    {' · '}
                    <PageLink page="events" search={{ id: event.id }}>
                      {event.type}
                    </PageLink>
                  </Text>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      <WhyForm place={place} />
    </Stack>
  );
}
