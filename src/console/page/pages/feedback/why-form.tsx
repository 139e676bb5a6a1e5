import { Alert, Badge, Group, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CommentAnnotation } from '../../../../client/index.ts';
import { failureOf } from '../../api/failure.ts';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { describe, type ThreadEvent, type ThreadPlace, useThreadHistory } from './thread-events.ts';
import { explainNotification, verdictOf, type WhyFacts, type WhyStep } from './why.ts';

/** Asks why a person was or was not notified of an event of a thread. */
export function WhyForm({ place }: { place: ThreadPlace }) {
  const [{ why = '', event: chosen }, change] = usePageSearch();
  const { data: events = [] } = useThreadHistory(place);
  const event = events.find(({ id }) => id === chosen) ?? events[0];
  if (!event) return null;
  return (
    <Stack gap="xs" mt="sm">
      <Title order={3} size="h5">
        Why was somebody notified, or not?
      </Title>
      <EntryPicker
        kind="user"
        label="Person"
        organizationId={place.organizationId}
        value={why}
        onChange={(userId) => change({ why: userId })}
      />
      <Select
        label="Of what"
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
  const facts = useWhyFacts({ place, event, userId });
  return (
    <Loaded query={facts}>
      {(found) => {
        const steps = explainNotification(found);
        const verdict = verdictOf(found, steps);
        return (
          <Stack gap="xs">
            <Alert color={verdict.isSent ? 'teal' : 'yellow'} title={verdict.text} role="status" />
            <ol className="feedback-steps">
              {steps.map((step) => (
                <Step key={step.question} step={step} />
              ))}
            </ol>
          </Stack>
        );
      }}
    </Loaded>
  );
}

const SIGNS = {
  passes: { color: 'teal', label: 'yes' },
  stops: { color: 'red', label: 'stops here' },
  told: { color: 'gray', label: 'note' },
} as const;

function Step({ step: { question, answer, outcome } }: { step: WhyStep }) {
  const { color, label } = SIGNS[outcome];
  return (
    <li className="feedback-link" data-broken={outcome === 'stops' || undefined}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text size="sm" fw={600}>
            {question}
          </Text>
          <Text size="sm" className="feedback-text">
            {answer}
          </Text>
        </div>
        <Badge color={color} tt="none" flex="none">
          {label}
        </Badge>
      </Group>
    </li>
  );
}

/** What public operations say of the thread, the key and the person. */
function useWhyFacts({ place, event, userId }: WhyProps) {
  const { apiKey, client } = useKey();
  const { organizationId, documentId, annotationId } = place;
  return useQuery({
    queryKey: ['feedback', apiKey, 'why', annotationId, event.id, userId],
    queryFn: async ({ signal }): Promise<WhyFacts> => {
      const whose = { organizationId, userId };
      const [threads, config, preferences, explanation, inbox, present] = await Promise.all([
        client.commentAnnotations.get({ annotationIds: [annotationId] }, { signal }),
        client.notificationConfig.get({}, { signal }),
        client.notifications.config.get({ ...whose, documentIds: [documentId] }, { signal }),
        client.permissions.explain({ ...whose, documentId }, { signal }),
        client.notifications
          .get({ ...whose, documentId, pageSize: 200 }, { signal })
          .then(({ data }) => data)
          .catch(undefinedIfRefused),
        client.presence.get({ organizationId, documentId, userIds: [userId] }, { signal }),
      ]);
      const [thread] = threads.data as CommentAnnotation[];
      if (!thread) throw new Error('The thread was deleted meanwhile.');
      return {
        userId,
        event,
        thread,
        config,
        preference: preferences[0],
        explanation,
        inbox: inbox?.filter(
          (each) =>
            each.notificationSourceData.annotationId === annotationId &&
            each.timestamp >= event.at &&
            (!event.actionUser || each.actionUser.userId === event.actionUser.userId),
        ),
        presence: present.find((each) => each.userId === userId)?.status,
      };
    },
  });
}

/** Keys without advanced queries cannot list an inbox. */
function undefinedIfRefused(error: unknown): undefined {
  if (failureOf(error).status !== 'FAILED_PRECONDITION') throw error;
}
