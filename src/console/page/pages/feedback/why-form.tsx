import { Alert, Badge, Group, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { NotificationStep } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { describe, type ThreadEvent, type ThreadPlace, useThreadHistory } from './thread-events.ts';

/** Asks why a person was or was not notified of an event of a thread. */
export function WhyForm({ place }: { place: ThreadPlace }) {
  const [{ why = '', event: chosen }, change] = usePageSearch();
  const { data: events = [] } = useThreadHistory(place);
  const event = events.find(({ id }) => id === chosen) ?? events[0];
  if (!event) return null;
  return (
    <Stack gap="xs" mt="sm">
      <Title order={3} size="h5">
        Why was someone notified, or not?
      </Title>
      <EntryPicker
        kind="user"
        label="Person"
        organizationId={place.organizationId}
        value={why}
        onChange={(userId) => change({ why: userId })}
      />
      <Select
        label="Event"
        data={events.map((each) => ({ value: each.id, label: labelOf(each) }))}
        value={event.id}
        allowDeselect={false}
        onChange={(id) => change({ event: id ?? undefined })}
      />
      {why && <Why place={place} event={event} userId={why} />}
    </Stack>
  );
}

const labelOf = (event: ThreadEvent): string =>
  `${new Date(event.at).toLocaleString()}: ${describe(event)}`;

interface WhyProps {
  place: ThreadPlace;
  event: ThreadEvent;
  userId: string;
}

function Why({ place, event, userId }: WhyProps) {
  const { apiKey, client } = useKey();
  const explanation = useQuery({
    queryKey: ['feedback', apiKey, 'why', place.annotationId, event.id, userId],
    queryFn: ({ signal }) =>
      client.notifications.explain({ ...place, eventId: event.id, userId }, { signal }),
  });
  return (
    <Loaded query={explanation}>
      {({ notified, steps }) => {
        const obstacle = steps.find(({ outcome }) => outcome === 'stops');
        const title = notified
          ? 'Notified, with the current settings.'
          : `Not notified. ${obstacle?.reason ?? ''}`;
        return (
          <Stack gap="xs">
            <Alert color={notified ? 'teal' : 'yellow'} title={title} role="status" />
            <ol className="feedback-steps">
              {steps.map((step) => (
                <Step key={step.rule} step={step} />
              ))}
            </ol>
          </Stack>
        );
      }}
    </Loaded>
  );
}

const QUESTIONS: Record<NotificationStep['rule'], string> = {
  event: 'Which event is it?',
  service: 'Does the API key send notifications?',
  trigger: 'Is this kind of event a trigger?',
  requested: 'Was a notification requested?',
  actor: 'Was it someone else’s action?',
  audience: 'Does it concern this person?',
  subject: 'Does its subject still exist?',
  document: 'May the person view the document?',
  context: 'Does the person hold the access context?',
  visibility: 'Is the thread visible to the person?',
  subscription: 'Is the person still subscribed?',
  preference: 'Does the person want it?',
  read: 'Is it still unread?',
  timing: 'When is it sent?',
};

const SIGNS = {
  passes: { color: 'teal', label: 'yes' },
  stops: { color: 'red', label: 'stops here' },
  info: { color: 'gray', label: 'note' },
} as const;

function Step({ step: { rule, outcome, reason } }: { step: NotificationStep }) {
  const { color, label } = SIGNS[outcome];
  return (
    <li className="feedback-link" data-broken={outcome === 'stops' || undefined}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text size="sm" fw={600}>
            {QUESTIONS[rule]}
          </Text>
          <Text size="sm" className="feedback-text">
            {reason}
          </Text>
        </div>
        <Badge color={color} tt="none" flex="none">
          {label}
        </Badge>
      </Group>
    </li>
  );
}
