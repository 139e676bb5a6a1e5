import type {
  CommentAnnotation,
  Explanation,
  Notification,
  NotificationConfig,
  NotificationPreference,
} from '../../../../client/index.ts';
import { triggerOf } from '../../../../features/activity/event-triggers.ts';
import { nameOf } from './people.ts';
import type { ThreadEvent } from './thread-events.ts';

/** One question on the way from an event to an inbox. */
export interface WhyStep {
  question: string;
  answer: string;
  /** Whether the way goes on here. `told`: nothing depends on it. */
  outcome: 'passes' | 'stops' | 'told';
}

export interface WhyFacts {
  userId: string;
  event: ThreadEvent;
  thread: CommentAnnotation;
  config: NotificationConfig;
  preference: NotificationPreference | undefined;
  explanation: Explanation;
  /** The user's notifications of the thread and actor since the event; undefined when the API refused to list them. */
  inbox: Notification[] | undefined;
  presence: string | undefined;
}

/**
 * Why an event did or did not notify a user: the questions that the server asks, in its order, with
 * the answers of now. Settings may have been others at the time of the event.
 */
export const explainNotification = (facts: WhyFacts): WhyStep[] => [
  service(facts),
  trigger(facts),
  asked(facts),
  actor(facts),
  concerned(facts),
  access(facts),
  visibility(facts),
  preference(facts),
  presence(facts),
  waiting(facts),
];

const step = (question: string, isFine: boolean, yes: string, no: string): WhyStep => ({
  question,
  answer: isFine ? yes : no,
  outcome: isFine ? 'passes' : 'stops',
});

const service = ({ config }: WhyFacts) =>
  step(
    'Does the key notify at all?',
    config.useNotificationService,
    'The notification service is on.',
    'useNotificationService is off.',
  );

function trigger({ config, event }: WhyFacts) {
  const { feature, trigger: name } = triggerOf(event.type);
  return step(
    'Is this kind of event a trigger?',
    config.triggers[feature]?.[name] ?? false,
    `The trigger ${feature}.${name} is on.`,
    `The trigger ${feature}.${name} is off.`,
  );
}

const asked = ({ event }: WhyFacts) =>
  step(
    'Was a notification asked for?',
    event.triggerNotification,
    'The call was made with triggerNotification, or by a user.',
    'The call came from a server without triggerNotification.',
  );

const actor = ({ event, userId }: WhyFacts) =>
  step(
    'Did somebody else do it?',
    event.actionUser?.userId !== userId,
    event.actionUser ? `${nameOf(event.actionUser)} did it.` : 'A server did it for nobody.',
    'People are not notified of what they do themselves.',
  );

function concerned({ event, thread, userId }: WhyFacts): WhyStep {
  const question = 'Does it concern this person?';
  const about = thread.comments.filter(({ commentId }) => event.commentIds.includes(commentId));
  const isMentioned = about.some(({ taggedUserContacts }) =>
    taggedUserContacts.some((user) => user.userId === userId),
  );
  if (isMentioned) return step(question, true, 'The comment mentions the person.', '');
  if (thread.assignedTo?.userId === userId)
    return step(question, true, 'The thread is assigned to the person.', '');
  if (userId in thread.unsubscribedUsers)
    return step(question, false, '', 'The person unsubscribed from the thread.');
  if (userId in thread.subscribedUsers)
    return step(question, true, 'The person is subscribed to the thread.', '');
  const groups =
    Object.keys(thread.subscribedGroups).length +
    about.flatMap(({ toOrganizationUserGroup }) => toOrganizationUserGroup).length;
  return groups > 0
    ? {
        question,
        answer: 'Only as a member of a group that is mentioned or subscribed.',
        outcome: 'told',
      }
    : step(question, false, '', 'The person is not mentioned, assigned or subscribed.');
}

function access({ explanation }: WhyFacts) {
  const { decision, steps } = explanation;
  const { accessRole, accessType } = decision as { accessRole?: string; accessType?: string };
  const decides = steps.find(({ outcome }) => outcome === 'decides') ?? steps.at(-1);
  return step(
    'May the person read the document?',
    accessRole !== undefined,
    `Yes, as ${accessRole}. ${decides?.message ?? ''}`,
    `No: the document is ${accessType ?? 'not there'}. ${decides?.message ?? ''}`,
  );
}

function visibility({ thread, userId }: WhyFacts) {
  const { type, userIds = [] } = thread.visibilityConfig;
  return step(
    'May the person see the thread?',
    type !== 'restricted' || userIds.includes(userId) || thread.from.userId === userId,
    type === 'public' ? 'Everybody who may read the document.' : `It is ${type}, and admits them.`,
    'It is restricted to others.',
  );
}

function preference({ preference: set, thread, userId }: WhyFacts): WhyStep {
  const question = 'Does the person want it?';
  const level = set?.config.inbox ?? 'ALL';
  if (level !== 'MINE') return step(question, level === 'ALL', 'inbox: ALL.', 'inbox: NONE.');
  const wrote = [thread.from, ...thread.comments.map(({ from }) => from)];
  const isOwn =
    wrote.some((user) => user.userId === userId) ||
    thread.assignedTo?.userId === userId ||
    thread.comments.some(({ taggedUserContacts }) =>
      taggedUserContacts.some((user) => user.userId === userId),
    );
  return step(
    question,
    isOwn,
    'inbox: MINE, and the thread is one of theirs.',
    'inbox: MINE, and they neither wrote in the thread nor are named in it.',
  );
}

const presence = ({ presence: status }: WhyFacts): WhyStep => ({
  question: 'Does presence matter?',
  answer: `No. People are notified whether they are there or not; this one is ${status ?? 'not in the document'} now.`,
  outcome: 'told',
});

function waiting({ config: { delay, batching } }: WhyFacts): WhyStep {
  const waits = [
    ...(delay.isEnabled
      ? [`${delay.delaySeconds} s of delay, in which reading the thread ends it`]
      : []),
    ...(batching.isEnabled ? [`up to ${batching.windowSeconds} s for others to join it`] : []),
  ];
  return {
    question: 'Does it wait?',
    answer: waits.length > 0 ? `It waits ${waits.join(', and ')}.` : 'It is sent at once.',
    outcome: 'told',
  };
}

/** The result in a sentence. */
export function verdictOf(
  { inbox }: WhyFacts,
  steps: WhyStep[],
): { text: string; isSent: boolean } {
  // The oldest of them is the nearest to the event.
  const found = inbox?.at(-1);
  if (found) {
    const read = found.isRead ? 'read' : 'unread';
    const at = new Date(found.timestamp).toLocaleString();
    return { text: `Notified: it is in the inbox since ${at}, ${read}.`, isSent: true };
  }
  const stop = steps.find(({ outcome }) => outcome === 'stops');
  if (stop) return { text: `Not notified. ${stop.answer}`, isSent: false };
  const unknown = 'Nothing stands in the way, but the inbox could not be read.';
  const none =
    'Nothing stands in the way now, but the inbox has none: it waits, was withdrawn, or a setting was different then.';
  return { text: inbox ? none : unknown, isSent: false };
}
