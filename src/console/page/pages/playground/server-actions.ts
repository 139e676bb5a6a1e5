import type { AnyEvent, Event, Grant } from '../../../../api/contract.ts';
import { call, type InputOf } from '../../api/client.ts';
import type { IconName } from '../../parts/icon.tsx';
import { ADA, DEMO_DOCUMENT, EDITOR_ID, GRACE, userOf } from './demo-data.ts';

/** A call that the server of an app makes, with its visible effect. */
export interface ServerAction {
  id: string;
  label: string;
  icon: IconName;
  /** The effect, and where people see it. */
  description: string;
  operation: string;
  /** The types of the events that the call publishes. */
  events: Array<AnyEvent['type']>;
  /** Returns the input, which varies so that each call has a visible effect. @param turn counted from 0 */
  input: (turn: number) => object;
}

type ActionFacts<Name extends string> = Omit<ServerAction, 'operation' | 'input'> & {
  input: (turn: number) => InputOf<Name> & object;
};

const action = <Name extends string>(operation: Name, facts: ActionFacts<Name>): ServerAction => ({
  operation,
  ...facts,
});

const MONTHS = ['June', 'July', 'August'];

const text = (month: string) => ({
  ...DEMO_DOCUMENT,
  editorId: EDITOR_ID,
  type: 'xml' as const,
  data: `<heading level="{2}">Launch plan</heading><paragraph>We launch in <bold>${month}</bold>. Your server wrote this at ${new Date().toLocaleTimeString()}.</paragraph>`,
});

const comment = (commentText: string, mentions: object = {}) => ({
  ...DEMO_DOCUMENT,
  commentAnnotations: [{ commentData: [{ from: userOf(GRACE), commentText, ...mentions }] }],
});

const mention = {
  taggedUserContacts: [{ ...userOf(ADA), text: '@Ada Lovelace' }],
  triggerNotification: true,
};

const { organizationId, documentId } = DEMO_DOCUMENT;
const DOCUMENT = { type: 'document' as const, id: documentId, organizationId };

const grant = (accessRole: Grant['accessRole']) => ({
  user: { userId: GRACE.userId },
  permissions: { resources: [{ ...DOCUMENT, accessRole }] },
});

const notice = (displayBodyMessage: string) => ({
  ...DEMO_DOCUMENT,
  actionUser: userOf(GRACE),
  notifyUsers: [userOf(ADA)],
  displayHeadlineMessageTemplate: '{actionUser} finished the launch plan',
  displayHeadlineMessageTemplateData: { actionUser: userOf(GRACE) },
  displayBodyMessage,
});

export const SERVER_ACTIONS: ServerAction[] = [
  action('crdt.update', {
    id: 'replace',
    label: 'Replace the text',
    icon: 'file',
    description: 'Both editors change at the same time, and the carets stay where they are.',
    events: ['crdt.update_data'],
    input: (turn) => text(MONTHS[turn % MONTHS.length] ?? ''),
  }),
  action('commentAnnotations.add', {
    id: 'comment',
    label: 'Comment',
    icon: 'comment',
    description: 'A thread by Grace appears in both windows.',
    events: ['comment_annotation.add'],
    input: (turn) => comment(turn % 2 === 0 ? 'Is June still right?' : 'Who tells the press?'),
  }),
  action('commentAnnotations.add', {
    id: 'mention',
    label: 'Mention Ada',
    icon: 'person',
    description: 'Ada’s inbox shows one more unread notification.',
    events: ['comment_annotation.add', 'notification.add'],
    input: () => comment('@Ada Lovelace Please read this.', mention),
  }),
  action('permissions.add', {
    id: 'viewer',
    label: 'Make Grace a viewer',
    icon: 'lock',
    description: 'Grace’s editor becomes read-only immediately.',
    events: ['permission.add'],
    input: () => grant('viewer'),
  }),
  action('permissions.add', {
    id: 'editor',
    label: 'Make Grace an editor',
    icon: 'key',
    description: 'Grace can type again.',
    events: ['permission.add'],
    input: () => grant('editor'),
  }),
  action('notifications.add', {
    id: 'notify',
    label: 'Notify Ada',
    icon: 'send',
    description: 'Ada’s inbox shows a notification with your own text.',
    events: ['notification.add'],
    input: (turn) => notice(turn % 2 === 0 ? 'The dates are in.' : 'The prices are in.'),
  }),
];

/** An action that was run, with its response. */
export interface DoneAction {
  action: ServerAction;
  input: object;
  answer: unknown;
  durationMs: number;
  /** Events after this position of the log may come from the action. */
  cursor: string;
  /** Epoch milliseconds. */
  startedAt: number;
}

/** Events of these types are so rare that a read of them skips nearly everything up to the end of the log. */
const RARE_EVENT_TYPES = ['endpoint.disabled'];

/** Notes where the event log ends, and then makes the action's call. */
export async function runAction(
  apiKey: string,
  action: ServerAction,
  input: object,
): Promise<DoneAction> {
  const cursor = await endOfLog(apiKey);
  const startedAt = Date.now();
  const answer: unknown = await call(apiKey, action.operation, input as never);
  return { action, input, answer, durationMs: Date.now() - startedAt, cursor, startedAt };
}

async function endOfLog(apiKey: string): Promise<string> {
  let after: string | undefined;
  for (;;) {
    const { events, cursor } = await call(apiKey, 'events.get', { after, types: RARE_EVENT_TYPES });
    if (events.length === 0) return cursor;
    after = cursor;
  }
}

/** Reads the events of an action. On a busy server, other events of the same types may be among them. */
export async function eventsOf(apiKey: string, { action, cursor }: DoneAction): Promise<Event[]> {
  const input = { after: cursor, types: action.events, limit: 20 };
  const { events } = await call(apiKey, 'events.get', input);
  return events.filter(({ metadata }) => metadata.organizationId === DEMO_DOCUMENT.organizationId);
}

/** Whether there is an event of each type that the action publishes. */
export const hasAllEvents = ({ action }: DoneAction, events: Event[]): boolean =>
  action.events.every((type) => events.some((event) => event.type === type));
