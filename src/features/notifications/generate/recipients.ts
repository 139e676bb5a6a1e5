import { mapInChunks } from '../../../platform/chunks.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { isAlias } from '../../../platform/erasure/people.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import type { NamedUserObject } from '../../comments/annotation-row.ts';
import { loadVisibility } from '../../comments/visibility/load-visibility.ts';
import type { Triggers } from '../../settings/triggers.ts';
import { loadUsers } from '../../users/known-people.ts';
import { loadLevels } from '../preferences/load-levels.ts';
import { type AnnotationEvent, accessAtEvent } from './annotation-event.ts';
import { type AudienceMember, isTriggered, loadAudienceMembers, type Reason } from './audience.ts';
import { loadParticipation } from './participation.ts';

/** A user in the audience of an event, whether or not the user is to be notified. */
export interface Candidate {
  user: NamedUserObject;
  /** The strongest reason. */
  reason: Reason;
  /** The stored email address, never one that a comment names. */
  address: string | undefined;
  /** Whether the user may see the annotation as it is now, and as it was when the event happened. */
  isVisible: boolean;
  /** Whether the user would only be notified as a subscriber, but is no longer one. */
  isUnsubscribed: boolean;
  /** Whether the user has read the annotation since the event. */
  hasRead: boolean;
  /** Whether the user exists. */
  isKnown: boolean;
  /** Whether the user was deleted, so that a new inbox would wrongly create the user again. */
  isDeleted: boolean;
  wants: Record<'inbox' | 'email', boolean>;
}

export interface EventRecipients {
  event: AnnotationEvent;
  recipients: Candidate[];
}

interface Query {
  tenantId: string;
  events: LoggedEvent[];
  /** Unix seconds */
  now: number;
}

/** Selects recipients by the key's triggers, and by the users' preferences for the channel. */
export async function selectRecipients(
  db: Queryable,
  { triggers, ...query }: Omit<Query, 'events'> & { events: AnnotationEvent[]; triggers: Triggers },
  channel: keyof Candidate['wants'],
): Promise<EventRecipients[]> {
  const events = query.events.filter((event) => isTriggered(triggers, event));
  const candidates = await loadCandidates(db, { ...query, events });
  const isSelected = (user: Candidate) =>
    mayBeNotified(user) && !user.isDeleted && user.wants[channel];
  return keepRecipients(candidates, isSelected);
}

/**
 * Loads the recipients of each of these events of one tenant, whatever their preferences: mentioned
 * users, members of mentioned groups, the assignee, and subscribers, each once with the strongest
 * reason. The acting user is left out, and so are erased users, users who may not see the annotation
 * at this moment or as it was when the event happened, and events that notify nobody.
 */
export async function loadRecipients(db: Queryable, query: Query): Promise<EventRecipients[]> {
  const candidates = await loadCandidates(db, query, { withPreferences: false });
  return keepRecipients(candidates, mayBeNotified);
}

const mayBeNotified = ({ isVisible, isUnsubscribed }: Candidate) => isVisible && !isUnsubscribed;

const keepRecipients = (candidates: EventRecipients[], isKept: (user: Candidate) => boolean) =>
  candidates.map(({ event, recipients }) => ({ event, recipients: recipients.filter(isKept) }));

/**
 * Loads the audience of each event, with the facts that decide whether each user is notified. Runs eight
 * statements for any number of events. See `loadRecipients`.
 */
export async function loadCandidates(
  db: Queryable,
  { tenantId, events, now }: Query,
  { withPreferences = true } = {},
): Promise<EventRecipients[]> {
  const audiences = await loadAudienceMembers(db, tenantId, events);
  if (audiences.length === 0) return [];
  const places = audiences.flatMap(({ event: { organizationId, documentId }, members }) =>
    members.map(({ user: { userId } }) => ({ organizationId, documentId, userId })),
  );
  const annotationIds = [...new Set(audiences.map(({ event }) => event.data.annotationId))];
  const userIds = [...new Set(places.map(({ userId }) => userId))];
  const earlier = audiences.map(({ event }) => accessAtEvent(event));
  const [visibility, participationOf, known, levelsOf] = await pipeline([
    loadVisibility(db, { tenantId, annotationIds, userIds }, now, earlier),
    loadParticipation(db, tenantId, annotationIds),
    loadUsers(db, tenantId, userIds),
    loadLevels(db, tenantId, withPreferences ? places : []),
  ]);
  const facts = { visibility, participationOf, known, levelsOf };
  const candidates: EventRecipients[] = [];
  for (const { event, members } of audiences) {
    candidates.push({ event, recipients: await candidatesOf(event, members, facts) });
  }
  return candidates;
}

interface Facts {
  visibility: Awaited<ReturnType<typeof loadVisibility>>;
  participationOf: Awaited<ReturnType<typeof loadParticipation>>;
  known: ReadonlyMap<string, NamedUserObject>;
  levelsOf: Awaited<ReturnType<typeof loadLevels>>;
}

async function candidatesOf(
  event: AnnotationEvent,
  members: AudienceMember[],
  { visibility, participationOf, known, levelsOf }: Facts,
): Promise<Candidate[]> {
  const { organizationId, documentId, data } = event;
  const authors = new Set([data, ...data.comments].map(({ from }) => from.userId));
  const earlier = accessAtEvent(event);
  const candidates = await mapInChunks(members, ({ user, reason, isInGroup }) => {
    const { userId } = user;
    const stored = known.get(userId);
    if (!stored && isAlias(userId)) return [];
    const { subscription, hasRead } = participationOf(userId, event);
    const isSubscribed = subscription !== null && subscription !== 'none';
    // ALL allows every event; MINE those that mention or assign the user, or that happen in a thread
    // in which the user wrote.
    const isOwn = reason !== 'subscribed' || authors.has(userId);
    const allows = (level: string) => level === 'ALL' || (level === 'MINE' && isOwn);
    const { inbox, email } = levelsOf({ organizationId, documentId, userId });
    return {
      // Stored fields take precedence over those in the event, since an address may have changed.
      user: { ...user, ...stored },
      reason,
      address: typeof stored?.email === 'string' && stored.email ? stored.email : undefined,
      isVisible: visibility.hidingStep(data.annotationId, userId, earlier) === undefined,
      // Members of a subscribed group need no subscription of their own.
      isUnsubscribed:
        reason === 'subscribed' && (isInGroup ? subscription === 'none' : !isSubscribed),
      hasRead,
      isKnown: stored !== undefined,
      isDeleted: !stored && wasKnown(event, reason, isSubscribed),
      wants: { inbox: allows(inbox), email: allows(email) },
    };
  });
  return candidates.flat();
}

/** The types of events that may assign the annotation. Other events only repeat the assignee. */
const ASSIGNING_TYPES = new Set(['comment_annotation.add', 'comment_annotation.assign']);

/**
 * Whether a user who does not exist has existed before: the subscription that came with the mention has
 * ended, or an earlier event assigned the annotation to the user. Other unknown users are created when
 * they are notified.
 */
const wasKnown = ({ type }: AnnotationEvent, reason: Reason, isSubscribed: boolean): boolean =>
  (reason === 'mentioned' && !isSubscribed) ||
  (reason === 'assigned' && !ASSIGNING_TYPES.has(type));
