import type { KeyContext } from '../../api/context.ts';
import { type Person, showPerson } from '../users/show-person.ts';
import type {
  PresentedAnnotation,
  PresentedComment,
  PresentedReaction,
} from './response-schemas.ts';

type Caller = Pick<KeyContext, 'userId'>;
type Subscribers = PresentedAnnotation['subscribedUsers'];

/** The parts of a presented annotation, or of the data of its events, that contain users. */
interface AnnotationParts {
  annotationId?: string | undefined;
  from?: Person | undefined;
  assignedTo?: unknown;
  actionUser?: Person | undefined;
  comments?: PresentedComment[] | undefined;
  subscribedUsers?: Subscribers | undefined;
  unsubscribedUsers?: Subscribers | undefined;
  previous?: AnnotationParts | undefined;
}

/** Returns an annotation, or the data of an event, with its users as the caller may see them. */
export function showAnnotation<Shown extends AnnotationParts>(
  caller: Caller,
  annotation: Shown,
): Shown {
  if (caller.userId === undefined) return annotation;
  const { from, actionUser, comments, subscribedUsers, unsubscribedUsers, previous } = annotation;
  const assignedTo = annotation.assignedTo as Person | undefined;
  return {
    ...annotation,
    ...(from && { from: showPerson(caller, from) }),
    ...(assignedTo && { assignedTo: showPerson(caller, assignedTo) }),
    ...(actionUser && { actionUser: showPerson(caller, actionUser) }),
    ...(comments && { comments: comments.map((comment) => showComment(caller, comment)) }),
    ...(subscribedUsers && { subscribedUsers: showSubscribers(caller, subscribedUsers) }),
    ...(unsubscribedUsers && { unsubscribedUsers: showSubscribers(caller, unsubscribedUsers) }),
    ...(previous && { previous: showAnnotation(caller, previous) }),
  };
}

function showComment(caller: Caller, comment: PresentedComment): PresentedComment {
  const showAll = (people: PresentedComment['to']) =>
    people.map((person) => showPerson(caller, person));
  return {
    ...comment,
    from: showPerson(caller, comment.from),
    to: showAll(comment.to),
    taggedUserContacts: showAll(comment.taggedUserContacts),
    reactionAnnotations: comment.reactionAnnotations.map((reaction) =>
      showReaction(caller, reaction),
    ),
  };
}

const showReaction = (caller: Caller, reaction: PresentedReaction): PresentedReaction => ({
  ...reaction,
  fromUsers: reaction.fromUsers.map(({ from, ...rest }) => ({
    ...rest,
    from: showPerson(caller, from),
  })),
});

const showSubscribers = (caller: Caller, subscribers: Subscribers): Subscribers =>
  Object.fromEntries(
    Object.entries(subscribers).map(([key, { user, ...rest }]) => [
      key,
      { ...rest, user: showPerson(caller, user) },
    ]),
  );
