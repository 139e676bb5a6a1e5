import { Alert, Badge, Group, Stack, Text } from '@mantine/core';
import type { NotificationStep } from '../../../../client/index.ts';
import type { InputOf, OutputOf } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Loaded, Note, nameOf, Time } from '../../parts/basics.tsx';
import { Filters } from '../../parts/filters.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Section } from '../../parts/panel.tsx';

type ThreadRef = InputOf<'console.feedback.history'>;
type ThreadEvent = OutputOf<'console.feedback.history'>['events'][number];

/** The history of a thread, and the reasons why a user was or was not notified of it. */
export function ThreadHistory({ threadRef }: { threadRef: ThreadRef }) {
  const history = useRead('console.feedback.history', threadRef);
  return (
    <>
      <Section title="History">
        <Loaded query={history}>
          {({ events }) => (
            <ol className="console-list">
              {events.length === 0 && (
                <Text c="dimmed" component="li">
                  None of this API key's recent events are about this thread.
                </Text>
              )}
              {events.map((event) => (
                <li key={event.id}>
                  <Text span>{describe(event)}</Text>{' '}
                  <Note size="xs" span>
                    <Time at={event.at} />
                    {' · '}
                    <PageLink page="events" search={{ id: event.id }} text={event.type} />
                  </Note>
                </li>
              ))}
            </ol>
          )}
        </Loaded>
      </Section>
      <WhyForm threadRef={threadRef} events={history.data?.events ?? []} />
    </>
  );
}

const VERBS: Record<string, string> = {
  'comment_annotation.add': 'started the thread',
  'comment_annotation.accept': 'accepted the thread',
  'comment_annotation.access_mode_change': 'changed who may see the thread',
  'comment_annotation.approve': 'approved the thread',
  'comment_annotation.assign': 'assigned the thread',
  'comment_annotation.custom_list_change': 'changed a custom field',
  'comment_annotation.priority_change': 'changed the priority',
  'comment_annotation.reject': 'rejected the thread',
  'comment_annotation.subscribe': 'subscribed',
  'comment_annotation.suggestion_accept': 'accepted the suggestion',
  'comment_annotation.suggestion_reject': 'rejected the suggestion',
  'comment_annotation.unsubscribe': 'unsubscribed',
  'comment.add': 'commented',
  'comment.update': 'edited a comment',
  'comment.delete': 'deleted a comment',
  'comment.reaction_add': 'reacted',
  'comment.reaction_delete': 'removed a reaction',
};

/** The name of the user who acted. If there is no user, the server of the customer called the API. */
export const actorOf = (user: Parameters<typeof nameOf>[0] | null | undefined): string =>
  user ? nameOf(user) : 'Your server';

/** An event in a sentence, as far as the console knows its type. */
function describe({ type, actionUser, status, previousStatus, icon }: ThreadEvent): string {
  const who = actorOf(actionUser);
  if (type === 'comment_annotation.status_change') {
    return `${who} changed the status${previousStatus ? ` from ${previousStatus}` : ''} to ${status}`;
  }
  const verb = VERBS[type] ?? type.replace(/^\w+\./, '').replaceAll('_', ' ');
  return `${who} ${verb}${icon ? ` with ${icon}` : ''}`;
}

/** Asks why a user was or was not notified of an event in a thread. */
function WhyForm({ threadRef, events }: { threadRef: ThreadRef; events: ThreadEvent[] }) {
  const [{ why, event: chosen }] = usePageSearch();
  const event = events.find(({ id }) => id === chosen) ?? events[0];
  if (!event) return null;
  const labelOf = (each: ThreadEvent) => `${new Date(each.at).toLocaleString()}: ${describe(each)}`;
  return (
    <Section title="Why was a user notified, or not?">
      <Filters
        organizationId={threadRef.organizationId}
        filters={[
          { name: 'why', label: 'User', kind: 'user' },
          {
            name: 'event',
            label: 'Event',
            options: events.map((each) => ({ value: each.id, label: labelOf(each) })),
            initial: event.id,
            required: true,
          },
        ]}
      />
      {why && <Explanation input={{ ...threadRef, eventId: event.id, userId: why }} />}
    </Section>
  );
}

const Explanation = ({ input }: { input: InputOf<'notifications.explain'> }) => (
  <Loaded query={useRead('notifications.explain', input)}>
    {({ notified, steps }) => {
      const obstacle = steps.find(({ outcome }) => outcome === 'stops');
      const title = notified
        ? 'With the current settings, this user is notified.'
        : `This user is not notified. ${obstacle?.reason ?? ''}`;
      return (
        <Stack gap="xs">
          <Alert color={notified ? 'teal' : 'yellow'} title={title} role="status" />
          <ol className="console-list">
            {steps.map((step) => (
              <Step key={step.rule} step={step} />
            ))}
          </ol>
        </Stack>
      );
    }}
  </Loaded>
);

const QUESTIONS: Record<NotificationStep['rule'], string> = {
  event: 'Which event?',
  service: 'Does the API key send notifications?',
  trigger: 'Do events of this kind trigger notifications?',
  requested: 'Was a notification requested?',
  actor: 'Did someone other than this user act?',
  audience: 'Does the event concern this user?',
  subject: 'Does the subject of the event still exist?',
  document: 'Can the user view the document?',
  context: 'Does the user have the access context of the thread?',
  visibility: 'Is the thread visible to the user?',
  subscription: 'Is the user still subscribed?',
  preference: 'Does the user want the notification?',
  read: 'Is the notification still unread?',
  timing: 'When is the notification sent?',
};

const OUTCOME_BADGES = {
  passes: { color: 'teal', label: 'yes' },
  stops: { color: 'red', label: 'stops here' },
  info: { color: 'gray', label: 'note' },
} as const;

function Step({ step: { rule, outcome, reason } }: { step: NotificationStep }) {
  const { color, label } = OUTCOME_BADGES[outcome];
  return (
    <li className="console-box" data-broken={outcome === 'stops' || undefined}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text fw={600}>{QUESTIONS[rule]}</Text>
          <Text className="console-text">{reason}</Text>
        </div>
        <Badge color={color} flex="none">
          {label}
        </Badge>
      </Group>
    </li>
  );
}
